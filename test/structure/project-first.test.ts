// Statements on rows of a run. Guarantee: each names the project in addition to the run, so that rows can be
// distributed by project, and a key that begins with it is used.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as schema from '../../shared/tables.ts'

const ROOT = join(import.meta.dirname, '../..')
const TABLES = {
  attempts: schema.attempts,
  cause_runs: schema.causeRuns,
  claims: schema.claims,
  delivery_tries: schema.deliveryTries,
  due_items: schema.dueItems,
  ended_runs: schema.endedRuns,
  items: schema.items,
  purges: schema.purges,
  replays: schema.replays,
  run_step_errors: schema.runStepErrors,
  step_index: schema.stepIndex,
  steps: schema.steps,
  suspected_items: schema.suspectedItems,
  triage: schema.triage,
  unindexed_steps: schema.unindexedSteps,
}
const NAMES = Object.keys(TABLES).join('|')
const MODELS = Object.keys(TABLES).map(name => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()))
const NO_ALIAS =
  /^(where|set|on|using|values|order|group|limit|join|left|cross|inner|union|returning|for|select|default|having|offset|from|do|are|is|as|with|and)$/

/** Statements that read across projects, and why they may. */
const ACROSS: Record<string, string> = {
  'shared/upkeep/queries/backlog.ts countBacklog: claims': 'what a consumer could start of all',
  'shared/upkeep/queries/backlog.ts isAnythingHeld: claims': 'whether an installation is at rest',
  'shared/upkeep/queries/check-up.ts readDatabaseState: purges': 'a gauge of the installation',
  'shared/alerts/queries/alert-watch.ts takeEndedRuns: ended_runs': 'which projects a cluster is asked for',
  'shared/alerts/queries/project-watch.ts findHeldItems: triage': 'which projects a cluster is asked for',
  'shared/claims/queries/run-facts.ts reapClaims: claims': 'which projects have dead claims',
  'shared/triage/queries/questions.ts askInTurn: suspected_items': 'which projects a cluster is asked for',
  'shared/upkeep/queries/partitions.ts dropSpentWeek: purges': 'a week is dropped of all projects at once',
  'shared/traces/queries/step-index.ts indexSteps: unindexed_steps': 'what was filed first, of whomever',
  'shared/traces/queries/step-index.ts isWorkUnderWay: claims': 'whether an installation is at rest',
  'shared/upkeep/queries/database-state.ts readDatabaseState: claims': 'a gauge of the installation',
}

/** Statements that name the project by a condition that several share and that is put into them. */
const BY_CONDITION: Record<string, string> = {
  'shared/recovery/queries/recoveries.ts countCancelled: i': 'cancelled',
  'shared/recovery/queries/recoveries.ts countCohort: t': 'inTriage',
  'shared/recovery/queries/cohort.ts findReasons: t': 'inTriage',
  'shared/recovery/queries/recovered.ts countRecovered: replays': 'ofProject',
  'shared/results/queries/compare.ts repairedIn: items': 'ofProject',
  'shared/results/queries/compare.ts repairedIn: replays': 'ofProject',
  'shared/recovery/queries/repaired.ts findRepaired: items': 'ofProject',
  'shared/recovery/queries/repaired.ts findRepaired: replays': 'ofProject',
  'shared/results/queries/results.ts found: i': 'where',
  'shared/items/queries/stop.ts undispatched: i': 'isOfRun',
  'shared/items/queries/stop.ts undispatched: d': 'isOfRun',
  'shared/items/queries/stop.ts sweep: i': 'isOfRun',
}

/** On the claim that an answer address names, which an agent got without the project. */
const OPEN: string[] = ['shared/consumer/queries/later-answers.ts renewHanded: claims']

interface Part {
  name: string
  text: string
}

/** The declarations at the top of a source, each with its name. */
function partsOf(source: string): Part[] {
  const starts = [
    ...source.matchAll(/^(?:export )?(?:default )?(?:async )?(?:function\*?|const|class|let) (\w+)/gm),
  ]
  return starts.map((start, n) => ({
    name: start[1]!,
    text: source.slice(start.index, starts[n + 1]?.index ?? source.length),
  }))
}

/** Outermost template literals, each with everything that is put into it. */
function statementsOf(text: string): string[] {
  const found: string[] = []
  const depths: number[] = []
  let isText = false
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const one = text[i]
    if (isText && one === '\\') i++
    else if (one === '`' && isText) {
      isText = false
      if (depths.length === 0) found.push(text.slice(start + 1, i))
    } else if (one === '`') {
      if (depths.length === 0) start = i
      isText = true
    } else if (isText && one === '$' && text[i + 1] === '{') {
      depths.push(0)
      isText = false
      i++
    } else if (!isText && one === '{' && depths.length > 0) depths[depths.length - 1]! += 1
    else if (!isText && one === '}' && depths.length > 0 && depths[depths.length - 1]!-- === 0) {
      depths.pop()
      isText = true
    }
  }
  return found.map(statement => statement.replaceAll(/--.*$/gm, ''))
}

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length

/** The names by which a statement reads or writes such a table more often than it names its project. */
function unnamedOf(statement: string): string[] {
  const mentions = new Map<string, number>()
  const mention = (name: string) => mentions.set(name, (mentions.get(name) ?? 0) + 1)
  for (const [, table, columns] of statement.matchAll(
    new RegExp(`\\binto (${NAMES})\\b(?: as \\w+)?\\s*\\(([^)]*)\\)`, 'g'),
  ))
    if (!/\bproject_id\b/.test(columns!)) mention(`into ${table}`)
  const read = new RegExp(
    `(?:\\b(?:from|join|update|using)|,)\\s+(${NAMES})\\b(?!\\s*[.(])(?:\\s+(?:as\\s+)?([a-z]\\w*))?`,
    'g',
  )
  for (const [all, table, alias] of statement.matchAll(read)) {
    if (all.startsWith(',') && (alias === undefined || NO_ALIAS.test(alias))) continue
    mention(alias === undefined || NO_ALIAS.test(alias) ? table! : alias)
  }
  return [...mentions]
    .filter(([name, times]) => {
      const own = count(statement, new RegExp(`\\b${name}\\.project_id\\b`, 'g'))
      const shared = count(statement, /\busing \([^)]*\bproject_id\b/g)
      const bare = name in TABLES ? count(statement, /(?<![.\w])project_id\b(?=\s*(?:=|,|in\b|is\b|\)))/g) : 0
      return own + shared + bare < times
    })
    .map(([name]) => name)
}

/** The same for statements of the query builder. */
const unnamedModels = (text: string): string[] =>
  MODELS.filter(
    model =>
      new RegExp(`\\.(?:from|\\w*[jJ]oin|update|delete|insert)\\(${model}\\b`).test(text) &&
      !new RegExp(`\\b${model}\\.project_id\\b`).test(text),
  )

function unnamed(): string[] {
  const found: string[] = []
  for (const folder of ['shared', 'functions'])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
      const file = `${folder}/${name}`
      for (const part of partsOf(readFileSync(join(ROOT, file), 'utf8'))) {
        const names = [...statementsOf(part.text).flatMap(unnamedOf), ...unnamedModels(part.text)]
        for (const one of new Set(names)) found.push(`${file} ${part.name}: ${one}`)
      }
    }
  return found
}

it('a statement on rows of a run names the project, unless a list says why it does not', () => {
  const listed = OPEN.flatMap(line => {
    const [place, names] = line.split(': ')
    return names!.split(', ').map(name => `${place}: ${name}`)
  })
  const known = [...Object.keys(ACROSS), ...Object.keys(BY_CONDITION), ...listed]
  const found = unnamed()
  expect(found.filter(place => !known.includes(place))).toEqual([])
  // The lists may only shrink.
  expect(known.filter(place => !found.includes(place))).toEqual([])
})

it('a listed statement contains the condition by which it names the project', () => {
  const places = Object.entries(BY_CONDITION).map(([place, condition]) => {
    const [file, name] = place.split(':')[0]!.split(' ')
    const part = partsOf(readFileSync(join(ROOT, file!), 'utf8')).find(one => one.name === name)
    return { place, isPutIn: part?.text.includes(`\${${condition}`) }
  })
  expect(places.filter(({ isPutIn }) => !isPutIn)).toEqual([])
})

it.for([
  ['select from items where run_id = $', ['items']],
  ['select from items where project_id = $ and run_id = $', []],
  ['select from runs r, items i where i.run_id = r.id and r.project_id = $', ['i']],
  ['select from runs r join items i on i.project_id = r.project_id and i.run_id = r.id', []],
  ['with a as (select from items i where i.project_id = $), b as (update items i set x = 1)', ['i']],
  ['insert into steps (run_id, seq) select $', ['into steps']],
  ['insert into steps (project_id, run_id, seq) select $', []],
  ['delete from due_items d using items i where d.project_id = i.project_id', []],
  ['select (select count(*) from triage t where t.run_id = $)', ['t']],
] as const)('%j leaves %j without a project', ([statement, names]) => {
  expect(unnamedOf(statement)).toEqual(names)
})
