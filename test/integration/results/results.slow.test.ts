// Results of a large nightly run: 60,000 items, 21,000 of them replayed, 2,100 of those once more.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ResultScope, resultsInChunks, slicesOf } from '../../../shared/results/queries/results.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

const ITEMS = 60_000
const REPLAYED = 21_000
const AGAIN = 2100

let engine: TestEngine
let run_id: string
beforeAll(async () => {
  engine = await testEngine()
  run_id = await insertRun(ITEMS)
  const { sql } = engine
  await sql`
    insert into items (project_id, run_id, seq, line, status, outcome, item_id, input, output)
    select ${engine.project_id}, ${run_id}, n, n, 'completed', case when n <= ${REPLAYED} then 'degraded'::outcome else 'ok' end,
      'ticket-' || n, '{}', '{"try":1}' from generate_series(1, ${ITEMS}::int) n`
  const first = await insertReplays(run_id, REPLAYED, AGAIN)
  await insertReplays(first, AGAIN, 0)
  for (const table of ['items', 'replays', 'runs']) await sql.unsafe(`analyze ${table}`)
})
afterAll(() => engine.close())

async function insertRun(total_items: number) {
  const { sql, ctx, project_id, agent_id } = engine
  const id = ctx.newRunId()
  await sql`insert into runs ${sql({ id, project_id, agent_id, total_items })}`
  return id
}

/** Replays the first `count` items of a run; the first `not_ok` of the replays are degraded again. */
async function insertReplays(of: string, count: number, not_ok: number) {
  const id = await insertRun(count)
  await engine.sql`
    insert into items (project_id, run_id, seq, line, status, outcome, item_id, input, output)
    select ${engine.project_id}, ${id}, seq, seq, 'completed', case when seq <= ${not_ok} then 'degraded'::outcome else 'ok' end,
      item_id, input, '{"try":2}' from items where run_id = ${of} and seq <= ${count}`
  await engine.sql`
    insert into replays (project_id, from_run_id, from_seq, run_id, seq)
    select ${engine.project_id}, ${of}, n, ${id}, n from generate_series(1, ${count}::int) n`
  return id
}

it.each([
  ['a run', () => ({ project_id: engine.project_id, run_id }), 100_000],
  ['a run in slices', () => ({ project_id: engine.project_id, run_id }), 7000],
  [
    'an agent in slices',
    () => ({ project_id: engine.project_id, agent_id: engine.agent_id, from_run_id: run_id }),
    30_000,
  ],
] satisfies [string, () => ResultScope, number][])(
  'the results of %s contain every item once, as the attempt that worked',
  { timeout: 120_000 },
  async (_, scope, size) => {
    const { sql } = engine
    const slices = await slicesOf(sql, scope(), size)
    const seen = new Map<string, number>()
    const chunks = resultsInChunks(make => make(sql), scope(), slices, { only: 'all', withInput: false })
    for await (const rows of chunks)
      for (const row of rows) {
        expect(row.outcome).toBe('ok')
        expect(seen.has(row.item_id)).toBe(false)
        seen.set(row.item_id, row.tries)
      }
    expect(seen.size).toBe(ITEMS)
    const tries = [...seen.values()]
    expect([1, 2, 3].map(n => tries.filter(count => count === n).length)).toEqual([
      ITEMS - REPLAYED,
      REPLAYED - AGAIN,
      AGAIN,
    ])
  },
)
