// Statements that move items. Guarantee: an item's new status, the statuses it may leave, and what a move does to the
// counters come from the table of transitions (shared/items/queries/transitions.ts) and nowhere else.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ITEM_COUNTERS } from '../../shared/items/rules/lifecycle.ts'

const ROOT = join(import.meta.dirname, '../..')
const COUNTERS = [...ITEM_COUNTERS, 'undecided'].join('|')

/** The template literals of a source without what is put into them; nested ones are listed separately. */
function templatesOf(source: string): string[] {
  const found: string[] = []
  const open: string[] = []
  const depths: number[] = []
  for (let i = 0; i < source.length; i++) {
    const inText = open.length > depths.length
    const [one, two] = [source[i]!, source.slice(i, i + 2)]
    if (inText && one === '\\') i++
    else if (one === '`' && inText) found.push(open.pop()!)
    else if (one === '`') open.push('')
    else if (inText && two === '${') {
      depths.push(0)
      i++
    } else if (inText) open[open.length - 1] += one
    else if (one === '{' && depths.length > 0) depths[depths.length - 1]! += 1
    else if (one === '}' && depths.length > 0 && depths[depths.length - 1]!-- === 0) depths.pop()
  }
  return found
}

/** What a statement says itself although the table of transitions says it. */
function saidBeside(statement: string): string[] {
  const said: string[] = []
  const assigned = (table: string) =>
    [
      ...statement.matchAll(
        new RegExp(`update ${table}\\b[^]*? set ([^]*?)(?=\\bwhere\\b|\\breturning\\b|$)`, 'g'),
      ),
    ].map(m => m[1]!)
  if (assigned('items').length > 0)
    said.push(...(statement.match(/\bstatus\s*(=|<>|in|is)\s*[^,)]*'\w+'/g) ?? []))
  for (const table of ['runs', 'project_usage'])
    for (const clause of assigned(table))
      said.push(...(clause.match(new RegExp(`(?<![.\\w])(${COUNTERS}) = `, 'g')) ?? []))
  return said
}

it('no statement itself names a counter of a run or the status of an item that it changes', () => {
  const wrong: string[] = []
  let movers = 0
  for (const name of readdirSync(join(ROOT, 'shared'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    for (const statement of templatesOf(readFileSync(join(ROOT, 'shared', name), 'utf8'))) {
      if (/update items\b/.test(statement)) movers++
      wrong.push(...saidBeside(statement).map(what => `${name}: ${what}`))
    }
  }
  expect(movers).toBeGreaterThan(8)
  expect(wrong).toEqual([])
})

it.for([
  ["update items set status = 'queued' where seq = 1", 1],
  ["update items i set x = 1 where i.status in ('queued', 'paused')", 1],
  ['with n as (select 1) update runs r set running = r.running - n.n, touched_at = now() from n', 1],
  ['update project_usage u set spent_micro = 1, running = running + 1 where true', 1],
  ["select from items where status = 'failed'", 0],
  ['update runs r set touched_at = now() where r.running = 0', 0],
] as const)('%j repeats %i things that the table decides', ([statement, times]) => {
  expect(saidBeside(statement)).toHaveLength(times)
})
