// Compares two runs over the same items. Guarantee: items are matched by their item_id alone, and those that only one
// of the runs has are counted; of items of a run with the same item_id the last counts. Inputs are not kept.

import { parseItemRecordId } from '../kernel/ids.ts'
import { LIMITS } from '../kernel/limits.ts'
import { usdSum } from '../prices/rules/usd-sum.ts'
import { sayVersions } from '../view/model-calls.ts'
import { answered, type Run, type RunItem } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { brief, clean, count, money, plural, spend } from './format.ts'
import { itemsPage } from './items.ts'
import { moreWords } from './listing.ts'
import type { Screen } from './output.ts'
import { everyRow } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

const ROWS_SHOWN = 50
const CELL = 200

interface Pair {
  item_id: string
  before: RunItem
  after: RunItem
}

export async function diff({ api, output }: Session, given: Given): Promise<ExitCode> {
  const [first, second] = [given.arg(0), given.arg(1)]
  const runOf = (runId: string) => answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } } }))
  const [before, after] = await Promise.all([runOf(first), runOf(second)])
  for (const one of [before, after]) refuseTooLarge(one)
  // Where one of the two is a replay, each counts as it ended: the newest of the other may be in it.
  const isNewest = before.replay_of === null && after.replay_of === null
  const itemsOfRun = async (id: string) =>
    isNewest ? newestOf(api, await itemsOf(api, id)) : itemsOf(api, id)
  const [olds, news] = [await itemsOfRun(first), await itemsOfRun(second)]
  const pairs = [...olds.values()].flatMap((old): Pair[] => {
    const found = news.get(old.item_id)
    return found === undefined ? [] : [{ item_id: old.item_id, before: old, after: found }]
  })
  const changed = pairs.filter(pair => verdictOf(pair.before) !== verdictOf(pair.after) || !sameOutput(pair))
  const summary = {
    runs: [first, second],
    in_both: pairs.length,
    only_first: olds.size - pairs.length,
    only_second: news.size - pairs.length,
    verdicts: verdictChanges(pairs),
    corrected: [pairs.map(pair => pair.before), pairs.map(pair => pair.after)].map(
      items => items.filter(item => item.corrected_outcome_status != null).length,
    ),
    recovered: isNewest ? [olds, news].map(items => [...items.values()].filter(isRecovered).length) : [0, 0],
    outputs_changed: pairs.filter(pair => !sameOutput(pair)).length,
    cost_usd: [costOf(pairs.map(pair => pair.before)), costOf(pairs.map(pair => pair.after))],
    code_versions: [before.code_versions ?? [], after.code_versions ?? []],
  }
  output.emit('diff', summary, screen =>
    pairs.length === 0 ? nothingInCommon(summary, screen) : summaryText(summary, [before, after], screen),
  )
  const rows = changed.map(pair => ({
    item_id: pair.item_id,
    verdict: [verdictOf(pair.before), verdictOf(pair.after)],
    cost_usd: [pair.before.cost_usd, pair.after.cost_usd],
    code_version: [pair.before.code_version, pair.after.code_version],
    output: [pair.before.output, pair.after.output],
  }))
  if (rows.length === 0) return EXIT.ok
  const isVersioned = rows.some(({ code_version }) => code_version.some(one => one !== null))
  const columns = COLUMNS.filter(({ title }) => title !== 'CODE' || isVersioned)
  output.rows('changed', rows, screen => `\n${table(columns, rows.slice(0, ROWS_SHOWN), screen)}`)
  if (rows.length > ROWS_SHOWN)
    output.note(moreWords(ROWS_SHOWN, { count: rows.length, more: false }, 'change', '--json prints all'))
  return EXIT.ok
}

/** @throws Failure `usage` */
function refuseTooLarge({ id, total_items }: Run): void {
  if (total_items <= LIMITS.diffed_items) return
  throw usageFailure(
    `run ${id} has ${count(total_items)} items; two runs of up to ${count(LIMITS.diffed_items)} are compared`,
    {
      hint: `for a comparison of your own, \`assay items RUN --json --limit ${total_items}\` prints the items of each`,
    },
  )
}

interface Changed {
  item_id: string
  verdict: string[]
  cost_usd: number[]
  code_version: (string | null)[]
  output: unknown[]
}

const COLUMNS: Column<Changed>[] = [
  { title: 'ITEM', value: row => row.item_id, least: 8 },
  {
    title: 'VERDICT',
    value: ({ verdict: [old, now] }) => (old === now ? (old ?? '') : `${old} → ${now}`),
    style: ({ verdict: [old, now] }) => (old === now ? undefined : now === 'ok' ? 'green' : 'yellow'),
  },
  {
    title: 'CODE',
    value: ({ code_version: [old, now] }) => (old === now ? (old ?? '') : `${old ?? '–'} → ${now ?? '–'}`),
    optional: 2,
  },
  { title: 'COST', value: ({ cost_usd: [a, b] }) => `${money(a!)} → ${money(b!)}`, optional: 1 },
  { title: 'BEFORE', value: row => differing(row.output)[0], least: 24 },
  { title: 'AFTER', value: row => differing(row.output)[1], least: 24 },
]

const outputText = (output: unknown) => (output == null ? '–' : brief(output, CELL))

const entriesOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined

/** Two outputs as they are shown: of objects only where they differ first, the path before the values, as ends are cut. */
function differing([before, after]: readonly unknown[], path = ''): [string, string] {
  const [olds, news] = [entriesOf(before), entriesOf(after)]
  if (olds !== undefined && news !== undefined && Array.isArray(before) === Array.isArray(after)) {
    const names = [...new Set([...olds.keys(), ...news.keys()])]
    const others = names.filter(name => JSON.stringify(olds.get(name)) !== JSON.stringify(news.get(name)))
    const [name] = others
    if (name !== undefined) {
      const [old, now] = differing([olds.get(name), news.get(name)], path === '' ? name : `${path}.${name}`)
      return others.length === 1 ? [old, now] : [old, `${now} (and ${others.length - 1} more)`]
    }
  }
  const at = path === '' ? '' : `${path}: `
  return [at + outputText(before), at + outputText(after)]
}

const isRecovered = (item: RunItem) => item.mended_by !== null

/** What a budget did not let run did not fail. */
const wasNotRun = ({ status, attempt }: RunItem) => status === 'budget_exceeded' && attempt === 0

/** As people corrected it, as in results. */
const verdictOf = (item: RunItem) =>
  item.corrected_outcome_status ??
  (wasNotRun(item) ? item.status : item.worst_outcome_status) ??
  (item.status === 'paused' ? 'held' : item.status)
const sameOutput = ({ before, after }: Pair) => JSON.stringify(before.output) === JSON.stringify(after.output)
const costOf = (items: readonly RunItem[]) => usdSum(items.reduce((sum, item) => sum + item.cost_usd, 0))

function verdictChanges(pairs: readonly Pair[]): { from: string; to: string; count: number }[] {
  const changes = Map.groupBy(pairs, ({ before, after }) => `${verdictOf(before)} ${verdictOf(after)}`)
  return [...changes]
    .map(([key, of]) => ({ from: key.split(' ')[0]!, to: key.split(' ')[1]!, count: of.length }))
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => b.count - a.count)
}

async function itemsOf(api: Session['api'], runId: string): Promise<Map<string, RunItem>> {
  const found = new Map<string, RunItem>()
  for await (const item of everyRow(page => itemsPage({ api }, runId, page), LIMITS.items_page.max))
    found.set(item.item_id, { ...item, input: null })
  return found
}

/** The items as their newest good replay made them, where there is one, as in results. Reads the runs of these replays. */
async function newestOf(api: Session['api'], items: Map<string, RunItem>): Promise<Map<string, RunItem>> {
  const replays = [...items.values()].flatMap(({ mended_by }) => mended_by ?? [])
  const runs = new Set(replays.map(id => parseItemRecordId(id)!.run_id))
  const found = new Map<string, RunItem>()
  for (const run of runs) for (const item of (await itemsOf(api, run)).values()) found.set(item.id, item)
  return new Map(
    [...items].map(([key, item]) => {
      const newest = found.get(item.mended_by ?? '')
      if (newest === undefined) return [key, item]
      return [
        key,
        { ...newest, mended_by: item.mended_by, cost_usd: usdSum(item.cost_usd + newest.cost_usd) },
      ]
    }),
  )
}

interface Summary {
  /** Items that replays have made ok, in each run: they count as these made them. */
  recovered: number[]
  in_both: number
  only_first: number
  only_second: number
  verdicts: { from: string; to: string; count: number }[]
  /** Items whose verdict people corrected, in each run. */
  corrected: number[]
  outputs_changed: number
  cost_usd: number[]
}

const sayRecovered = ([first = 0, second = 0]: readonly number[]) =>
  first + second === 0
    ? []
    : [
        `recovered ${count(first)} in the first, ${count(second)} in the second: they count as their replays made them`,
      ]

const sayCorrected = ([first = 0, second = 0]: readonly number[]) =>
  first + second === 0
    ? ''
    : ` (corrected by people: ${count(first)} in the first, ${count(second)} in the second)`

/** Which code each of the runs was made by, where any of their answers says so. */
const versionLines = (runs: readonly Run[]): string[] =>
  runs.some(({ code_versions = [] }) => code_versions.length > 0)
    ? runs.map(
        ({ code_versions = [], completed, failed }, at) =>
          `${at === 0 ? 'code      ' : '        → '}${clean(sayVersions(code_versions, completed + failed))}`,
      )
    : []

/** Nothing can be said of verdicts and outputs where no item is in both. */
function nothingInCommon({ only_first, only_second }: Summary, { paint }: Screen): string {
  return [
    `${paint('bold', 'no item in common')}, so there is nothing to compare: ${count(only_first)} only in the first run, ${count(only_second)} only in the second`,
    'Items are the same where they have the same id of yours, which --item-id FIELD names when they are submitted; those without one are in no other run but replays of theirs.',
  ].join('\n')
}

function summaryText(summary: Summary, runs: readonly Run[], { paint }: Screen): string {
  const { in_both, only_first, only_second, verdicts, corrected, recovered, outputs_changed, cost_usd } =
    summary
  const only = [
    only_first > 0 && `${count(only_first)} only in the first`,
    only_second > 0 && `${count(only_second)} only in the second`,
  ].filter(Boolean)
  const isUnpriced = runs.map(run => run.unpriced_item_count > 0)
  const change = verdicts.map(({ from, to, count: items }) =>
    paint(to === 'ok' ? 'green' : 'yellow', `${count(items)} ${from} → ${to}`),
  )
  return [
    `${paint('bold', plural(in_both, 'item'))} in both runs${only.length > 0 ? `, ${only.join(', ')}` : ''}`,
    `verdicts  ${change.length > 0 ? change.join(', ') : 'all as before'}${sayCorrected(corrected)}`,
    ...sayRecovered(recovered),
    `outputs   ${outputs_changed === 0 ? 'all as before' : `${count(outputs_changed)} changed`}`,
    `cost      ${cost_usd.map((usd, at) => spend(usd, isUnpriced[at] ?? false)).join(' → ')}`,
    ...versionLines(runs),
  ].join('\n')
}
