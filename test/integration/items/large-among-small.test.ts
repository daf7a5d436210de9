// Statements on a part of a large run, where PostgreSQL expects a run to have one item: all analyzed ones do. Before
// version 17 it then read the whole run and compared each item with all chosen ones.

import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Taking, takeDue, takeFair } from '../../../shared/claims/queries/claim.ts'
import { findEndedItems, findFirstMakers, findStepHeads } from '../../../shared/claims/queries/recorded.ts'
import { findRecordedSteps, reapClaims } from '../../../shared/claims/queries/run-facts.ts'
import {
  findHanded,
  findHandedItems,
  findReportedSteps,
} from '../../../shared/consumer/queries/later-answers.ts'
import { findRecordedItems } from '../../../shared/grading/queries/recorded-calls.ts'
import { abortClaims, pauseForMoney, sweepStopped } from '../../../shared/items/queries/stop.ts'
import type { RunKey } from '../../../shared/kernel/ids.ts'
import { madeOfHeld } from '../../../shared/recovery/queries/makers.ts'
import { compareItems } from '../../../shared/results/queries/compare.ts'
import { deleteItems } from '../../../shared/submission/queries/submission.ts'
import { readRunFailures } from '../../../shared/triage/queries/failures.ts'
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
    ), failed as (
      insert into triage (project_id, run_id, seq, agent_id, lane, reason, cost_micro)
      select project_id, id, 1, ${engine.agent_id}, 'dlq', 'refusal', 0 from small
    )
    insert into due_items (project_id, run_id, seq, due_at) select project_id, id, 1, now() from small`
  for (const table of ['items', 'steps', 'due_items', 'triage']) await sql`analyze ${sql(table)}`
  // Autovacuum would inform PostgreSQL of the large run in the middle of the test.
  for (const table of ['items', 'due_items', 'triage'])
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
    where relname in ('items', 'due_items', 'triage') or relname like 'steps\\_%'`
  return row!.n
}

const isDue = (from: number) => sql`
  insert into due_items (project_id, run_id, seq, due_at)
  select project_id, run_id, seq, now() from items where run_id = ${run.run_id} and seq >= ${from} on conflict do nothing`

/** The items of a part that lies scattered over a sixth of the run. */
const SEQS = Array.from({ length: PART }, (_, i) => 1 + i * 10)
/** The claim that these were handed over from. */
const SENT = 7
const request = () => ({ ...run, claim_id: SENT, first_seq: 1, last_seq: ITEMS, started_ms: 0 })

/** These items are in flight, under five claims that end in so many minutes. */
const areInFlight = (minutes: number) => sql`
  with gone as (delete from claims), started as (
    update items set status = 'running', attempt = 1 where run_id = ${run.run_id} and seq = any(${SEQS}) returning seq
  ), counted as (update runs set running = ${PART} where id = ${run.run_id})
  insert into claims (run_id, project_id, seqs, attempts, lease_until, handed_from)
  select ${run.run_id}, ${run.project_id}, array_agg(seq order by seq), array_agg(1), now() + make_interval(mins => ${minutes}), ${SENT}
  from started group by seq * 5 / ${PART * 10 + 1}`

/** All items failed; of the first ones calls were not read. */
const haveFailed = () => sql`
  with unread as (
    update items set unread_calls = 1 where run_id = ${run.run_id} and seq <= ${PART}
  ), calls as (update steps set unread = 'no model' where run_id = ${run.run_id} and seq <= ${PART})
  insert into triage (project_id, run_id, seq, agent_id, lane, reason, corrected, cost_micro)
  select project_id, run_id, seq, ${engine.agent_id}, case when seq > 9 then 'review' else 'dlq' end::triage_lane, 'reason ' || seq % 9, 'ok', 0
  from items where run_id = ${run.run_id}`

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
      'reading what was handed over',
      async () => {
        await findHanded(sql, request())
        await findHandedItems(sql, request(), SEQS)
        await findReportedSteps(sql, run, SEQS)
      },
      () => areInFlight(1),
    ],
    ['offering again what dead consumers held', () => reapClaims(sql, PART), () => areInFlight(-1)],
    [
      'aborting items in flight',
      () => abortClaims(sql, run, 5),
      async () => {
        await areInFlight(1)
        await sql`update runs set stop_reason = 'cancelled' where id = ${run.run_id}`
      },
    ],
    [
      'reading what replayed items recorded',
      async () => {
        const keys = SEQS.map(seq => ({ ...run, seq }))
        await findEndedItems(sql, keys)
        await findStepHeads(sql, keys)
      },
      () => sql`update runs set stop_reason = null where id = ${run.run_id}`,
    ],
    [
      'counting what held items go on after',
      () =>
        madeOfHeld(
          sql,
          SEQS.map(seq => ({ ...run, seq })),
        ),
    ],
    [
      'finding what made the steps that replays took over',
      () =>
        findFirstMakers(
          sql,
          SEQS.map(seq => ({ ...run, seq })),
        ),
      () => sql`update steps set reused = true where run_id = ${run.run_id}`,
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
      async () => {
        await haveFailed()
        await sql`update runs set stop_reason = 'cancelled' where id = ${run.run_id}`
      },
    ],
    ['removing items', () => deleteItems(sql, run, PART, 100, onceOnly())],
  ])('%s reads a part of the run', async ([, act, before]) => {
  await before?.()
  const until = await found()
  await act()
  expect((await found()) - until).toBeLessThan(FEW_ROWS)
})

it
  .skipIf(onCluster('its nodes count what they read'))
  .for<[what: string, act: (of: { project_id: string; id: string }) => Promise<unknown>]>([
    ['failures', of => readRunFailures(sql, { ...of, unread_calls: 1, unpriced_items: 0 })],
    ['changes since another run', of => compareItems(sql, of, of)],
  ])('reading %s reads each row a few times at most', async ([, act]) => {
  await sql`delete from triage where run_id = ${run.run_id}`
  await haveFailed()
  const until = await found()
  await act({ project_id: run.project_id, id: run.run_id })
  expect((await found()) - until).toBeLessThan(7 * ITEMS)
})

function onceOnly(): () => boolean {
  let times = 0
  return () => times++ === 0
}
