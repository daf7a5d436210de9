// The order in which statements lock several claims, or several runs. The rows lie on disk in another order than that
// of their ids, and PostgreSQL may find them in either.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeClaims, extendLeases } from '../../../shared/claims/queries/leases.ts'
import { findHanded, renewHanded } from '../../../shared/consumer/queries/later-answers.ts'
import { abortClaims } from '../../../shared/items/queries/stop.ts'
import type { RunKey } from '../../../shared/kernel/ids.ts'
import { endWaitForPrice } from '../../../shared/prices/queries/prices.ts'
import { returnItems } from '../../../shared/settling/queries/returns.ts'
import { settle } from '../../../shared/settling/queries/settle.ts'
import { cancelDeletedRuns } from '../../../shared/upkeep/queries/removal.ts'
import { markSpentRuns } from '../../../shared/upkeep/queries/retention.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { entryThatWorked } from '../../support/entries.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting, onCluster } from '../../support/on-cluster.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const SEQS = [1, 2, 3]
/** The claim whose items its agent got, and which they were handed over from. */
const SENT = 99

/** A run with three items in flight, under a claim each; the claims were written in the opposite order of their ids. */
async function inFlight(): Promise<RunKey> {
  const run = engine.key(await engine.submit(SEQS.length))
  const { project_id, run_id } = run
  await engine.sql`update items set status = 'running', attempt = 1 where project_id = ${project_id} and run_id = ${run_id}`
  await engine.sql`
    update runs set running = 3, next_seq = 4, started_at = now() where project_id = ${project_id} and id = ${run_id}`
  await engine.sql`update project_usage set running = 3 where project_id = ${project_id}`
  for (const seq of [...SEQS].reverse())
    await engine.sql`
      insert into claims (id, run_id, project_id, seqs, attempts, lease_until, handed_from)
      values (${seq}, ${run_id}, ${project_id}, array[${seq}::int], array[1], now() + interval '1 minute', ${SENT})`
  await engine.sql`analyze claims`
  return run
}

/** The ids that the statement has not locked when it waits for the second row. */
async function freeAtSecond(table: 'claims' | 'runs', second: number | string, send: () => Promise<unknown>) {
  let sent: Promise<unknown> | undefined
  const isOf = engine.sql`project_id = ${engine.project_id}`
  const free = await engine.sql.begin(async tx => {
    await tx`select from ${tx(table)} where ${isOf} and id = ${second} for no key update`
    sent = send()
    await eventually(async () => expect(await countWaiting(engine.sql)).toBe(1))
    return tx<{ id: number | string }[]>`
      select id from ${tx(table)} where ${isOf} order by id for no key update skip locked`
  })
  await sent
  return free.map(({ id }) => id)
}

const held = { held: SEQS, closed: SEQS }
const sentRequest = (run: RunKey) => ({
  ...run,
  claim_id: SENT,
  first_seq: 1,
  last_seq: 3,
  started_ms: Date.now(),
})

const settleAll = ({ project_id, run_id }: RunKey) =>
  settle(engine.sql, {
    run_id,
    project_id,
    agent_id: engine.agent_id,
    entries: SEQS.map(seq => entryThatWorked(seq)),
    steps: [],
    claims: held,
    failure_streak: 0,
    streak_broken: true,
    unpriced_model: null,
    max_consecutive_failures: 100,
  })

const returnAll = (run: RunKey) => {
  const entry = { attempt: 1, code: 'yielded', message: '', delay_ms: 0, together: null, ran_ms: 0 }
  const returns = SEQS.map(seq => ({ ...entry, seq, fault: 'none' as const }))
  return returnItems(engine.sql, run, returns, held)
}

async function abort(run: RunKey) {
  await engine.sql`
    update runs set stop_reason = 'cancelled' where project_id = ${run.project_id} and id = ${run.run_id}`
  return abortClaims(engine.sql, run, 10)
}

/** Ends the claims that were handed over, because their items have ended. */
async function endHanded(run: RunKey) {
  await engine.sql`
    update items set status = 'completed', outcome = 'ok' where project_id = ${run.project_id} and run_id = ${run.run_id}`
  return findHanded(engine.sql, sentRequest(run))
}

it.each<[what: string, send: (run: RunKey) => Promise<unknown>]>([
  ['a result', settleAll],
  ['items given back', returnAll],
  ['closing claims', ({ project_id }) => closeClaims(engine.sql, project_id, SEQS)],
  ['a cancel that aborts', abort],
  ['renewing what was handed over', run => renewHanded(engine.sql, sentRequest(run))],
  ['ending what was handed over', endHanded],
])('%s locks claims in the order of their ids', async (_, send) => {
  const run = await inFlight()
  expect(await freeAtSecond('claims', 2, () => send(run))).toEqual([2, 3])
})

it.skipIf(onCluster('it cannot lock rows of several projects before it updates them'))(
  'a heartbeat locks claims in the order of their ids',
  async () => {
    const { project_id } = await inFlight()
    const claims = SEQS.map(id => ({ id, project_id }))
    expect(await freeAtSecond('claims', 2, () => extendLeases(engine.sql, claims, 25_000))).toEqual([2, 3])
  },
)

/** Later than all payloads are kept. */
const MUCH_LATER_MS = Date.now() + 60 * 24 * 3600 * 1000

it.each<[what: string, state: string, send: () => Promise<unknown>]>([
  [
    'marking runs whose payloads are not kept longer',
    'finished_at = now()',
    () => markSpentRuns(engine.sql, MUCH_LATER_MS, 10),
  ],
  [
    'a price that runs waited for',
    "waits_for_price = true, unpriced_model = 'new'",
    () => endWaitForPrice(engine.sql, engine.project_id, ['new']),
  ],
  ['cancelling the runs of a deleted agent', 'touched_at = now()', () => cancelDeletedRuns(engine.sql, 10)],
])('%s locks runs in the order of their ids', async (_, state, send) => {
  const ids = [await engine.submit(1), await engine.submit(1), await engine.submit(1)]
  await engine.sql`update projects set settings = settings || '{"payload_retention_days": 1}'`
  await engine.sql`update agents set deleted_at = now() where project_id = ${engine.project_id}`
  for (const id of [...ids].reverse())
    await engine.sql`update runs set ${engine.sql.unsafe(state)} where project_id = ${engine.project_id} and id = ${id}`
  await engine.sql`analyze runs`
  expect(await freeAtSecond('runs', ids[1]!, send)).toEqual(ids.slice(1))
})
