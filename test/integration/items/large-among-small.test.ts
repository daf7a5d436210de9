// Statements on a part of a large run, where PostgreSQL expects a run to have one item: all analyzed ones do. Before
// version 17 it then read the whole run and compared each item with all chosen ones.

import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Taking, takeDue, takeFair } from '../../../shared/claims/queries/claim.ts'
import { findRecordedSteps } from '../../../shared/claims/queries/run-facts.ts'
import { findRecordedItems } from '../../../shared/grading/queries/recorded-calls.ts'
import { pauseForMoney, sweepStopped } from '../../../shared/items/queries/stop.ts'
import type { RunKey } from '../../../shared/kernel/ids.ts'
import { deleteItems } from '../../../shared/submission/queries/submission.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { onCluster } from '../../support/on-cluster.ts'

const ITEMS = 30_000
const PART = 500
/** Each statement reads its part a few times. */
const FEW_ROWS = ITEMS / 3

let engine: TestEngine
/** One connection, so that it reads its own statistics. */
let sql: TestEngine['sql']
let run: RunKey
let taking: Taking
beforeAll(async () => {
  engine = await testEngine()
  sql = postgres(engine.urls.databaseUrl, { max: 1, onnotice: () => {} }) as unknown as TestEngine['sql']
  await sql`update projects set settings = settings || '{"concurrency": 100000}'`
  await sql`
    with small as (
      insert into runs (id, project_id, agent_id, total_items)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 4, '0') || '00000000')::uuid, ${engine.project_id}, ${engine.agent_id}, 1
      from generate_series(1, 5000) n returning project_id, id
    ), one as (
      insert into items (project_id, run_id, seq, line, item_id, input, status)
      select project_id, id, 1, 1, '1', '1', 'queued' from small
    ), step as (
      insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
      select project_id, id, 1, 1, 1, 'llm_call', 'ok', now(), 1, 'k', 'n' from small
    )
    insert into due_items (project_id, run_id, seq, due_at) select project_id, id, 1, now() from small`
  for (const table of ['items', 'steps', 'due_items']) await sql`analyze ${sql(table)}`
  // Autovacuum would tell PostgreSQL of the large run in the middle of the test.
  for (const table of ['items', 'due_items'])
    await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  run = engine.key(await engine.submit(ITEMS))
  await sql`
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
    select project_id, run_id, seq, 1, 0, 'llm_call', 'ok', now(), 1, 'k', 'n' from items where run_id = ${run.run_id}`
  const [row] = await sql`select deployment_id from runs where id = ${run.run_id}`
  const room = { most: PART, kept_places: 0, kept_of_run: 0, lease_ms: 60_000, fresh: true }
  taking = { ...run, deployment_id: row!.deployment_id, ...room }
})
afterAll(async () => {
  await sql.end()
  await engine.close()
})

/** How many rows of a table its indexes have found so far. */
async function found(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql`
    select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as n from pg_stat_user_tables
    where relname in ('items', 'due_items') or relname like 'steps\\_%'`
  return row!.n
}

const isDue = (from: number) => sql`
  insert into due_items (project_id, run_id, seq, due_at)
  select project_id, run_id, seq, now() from items where run_id = ${run.run_id} and seq >= ${from} on conflict do nothing`

it
  .skipIf(onCluster('its nodes count what they read'))
  .for<[what: string, act: () => Promise<unknown>, before?: () => Promise<unknown>]>([
    ['claiming by partitions', () => takeFair(sql, taking, { per_partition: 9, lookahead: PART })],
    ['claiming what is due', () => takeDue(sql, taking), () => isDue(ITEMS - PART)],
    [
      'claiming what is due, by partitions',
      () => takeDue(sql, taking, { per_partition: 9, lookahead: PART }),
      () => isDue(ITEMS - 2 * PART),
    ],
    [
      'reading recorded steps',
      () =>
        findRecordedSteps(
          sql,
          run,
          Array.from({ length: PART }, (_, i) => i + 1),
        ),
    ],
    [
      'reading answers to grade',
      () => findRecordedItems(sql, run, { after: 9, most: PART, withInputs: true }),
    ],
    [
      'pausing for money',
      () => pauseForMoney(sql, run, PART),
      () =>
        sql`with due as (delete from due_items where run_id = ${run.run_id}) update projects set credit_micro = 0`,
    ],
    [
      'sweeping a cancelled run',
      () => sweepStopped(sql, run, PART),
      () => sql`update runs set stop_reason = 'cancelled' where id = ${run.run_id}`,
    ],
    ['removing items', () => deleteItems(sql, run, PART, 100, onceOnly())],
  ])('%s reads a part of the run', async ([, act, before]) => {
  await before?.()
  const until = await found()
  await act()
  expect((await found()) - until).toBeLessThan(FEW_ROWS)
})

function onceOnly(): () => boolean {
  let times = 0
  return () => times++ === 0
}
