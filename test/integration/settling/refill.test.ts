// A flush that takes the run's next items for the places that it frees: what it takes, and when it leaves that to a claim.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { takeRange } from '../../../shared/claims/queries/claim.ts'
import { type Claim, claimItems } from '../../../shared/claims/verbs/claim.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Sql } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Entry, Flush } from '../../../shared/settling/queries/entries.ts'
import { OK, settle } from '../../../shared/settling/queries/settle.ts'
import { centStep, conservation, failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { entryThatWorked } from '../../support/entries.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting, onCluster } from '../../support/on-cluster.ts'

const CAP = 4
let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
  await engine.sql`update projects set settings = settings || ${engine.sql.json({ concurrency: CAP })}`
})
afterEach(() => engine.close())

/** A run of ten items, of which a claim holds as many as the cap of the project allows. */
async function heldAtCap(items: Parameters<TestEngine['submit']>[0] = 10) {
  const run_id = await engine.submit(items)
  const { claim } = await claimItems(engine.ctx, engine.key(run_id), LIMITS.claim_items)
  return { run_id, claim: claim! }
}

/** A flush that ends the first `n` items of a claim, and takes as many if it may. */
const flushOf = (
  { run_id, project_id, id, follow_up }: Claim,
  n: number,
  more: Partial<Flush> = {},
): Flush => ({
  run_id,
  project_id,
  agent_id: engine.agent_id,
  entries: Array.from({ length: n }, (_, i) => entryThatWorked(i + 1)),
  steps: [],
  claims: { held: [id], closed: [] },
  failure_streak: 0,
  streak_broken: true,
  unpriced_model: null,
  max_consecutive_failures: 100,
  refill: follow_up!.refill(n),
  ...more,
})
const FAILED: Partial<Entry> = {
  verdict: {
    ...OK,
    status: 'failed',
    outcome: 'failed',
    outcome_reason: 'agent_error',
    error_code: 'upstream_down',
  },
}
const seqsOf = (taken: readonly { seq: number }[]) => taken.map(({ seq }) => seq).sort((a, b) => a - b)

/** Everything that a flush and a claim write, without times and the ids of claims. */
async function rowsOf(sql: Sql, run_id: string) {
  const [rows] = await sql`
    select (select jsonb_agg(jsonb_build_object('seq', seq, 'status', status, 'attempt', attempt, 'outcome', outcome) order by seq)
        from items where run_id = ${run_id}) as items,
      (select to_jsonb(r) - array['id', 'created_at', 'touched_at', 'started_at'] from runs r where id = ${run_id}) as run,
      (select to_jsonb(u) from project_usage u where project_id = ${engine.project_id}) as usage,
      (select jsonb_agg(jsonb_build_array(seqs, attempts) order by id) from claims) as claims`
  return rows
}

it.skipIf(onCluster('a flush claims nothing there'))(
  'a flush takes the items that a claim right after it would take, and leaves the same rows',
  async () => {
    const together = await heldAtCap()
    const { taken } = await settle(engine.sql, flushOf(together.claim, 3))
    const rows = await rowsOf(engine.sql, together.run_id)
    await engine.sql`delete from runs where id = ${together.run_id}`
    await engine.sql`delete from claims`
    await engine.sql`update project_usage set running = 0`

    const apart = await heldAtCap()
    await settle(engine.sql, flushOf(apart.claim, 3, { refill: null }))
    const places = { kept_places: 0, kept_of_run: 0, fresh: true }
    const claimed = await takeRange(engine.sql, { ...apart.claim.follow_up!.refill(3), ...places })
    const without = (items: typeof taken) => items.map(({ claim_id: _, item_id: __, ...item }) => item)
    expect(without(taken)).toEqual(without(claimed))
    expect(seqsOf(taken)).toEqual([5, 6, 7])
    expect(rows).toEqual(await rowsOf(engine.sql, apart.run_id))
  },
)

it.skipIf(onCluster('a flush claims nothing there'))(
  'a flush that is sent twice takes items once',
  async () => {
    const { run_id, claim } = await heldAtCap()
    expect(seqsOf((await settle(engine.sql, flushOf(claim, 2))).taken)).toEqual([5, 6])
    expect((await settle(engine.sql, flushOf(claim, 2))).taken).toEqual([])
    expect(await conservation(engine, run_id)).toEqual([])
  },
)

it.skipIf(onCluster('a flush claims nothing there'))(
  'a flush takes no more than the cap leaves',
  async () => {
    const { run_id, claim } = await heldAtCap()
    await engine.sql`update projects set settings = settings || '{"concurrency": 3}'`
    expect(seqsOf((await settle(engine.sql, flushOf(claim, 2))).taken)).toEqual([5])
    expect(await conservation(engine, run_id)).toEqual([])
  },
)

it.each<[string, (claim: Claim) => Promise<unknown>, Partial<Flush>?]>([
  ['another run of the project is open', () => engine.submit(1)],
  [
    'an item of the run is due for a retry',
    ({ run_id, project_id }) =>
      engine.sql`insert into due_items (project_id, run_id, seq, due_at) values (${project_id}, ${run_id}, 4, now())`,
  ],
  [
    'the run was cancelled',
    ({ run_id }) => engine.sql`update runs set stop_reason = 'cancelled' where id = ${run_id}`,
  ],
  [
    'the flush itself stops the run',
    async () => {},
    {
      entries: [1, 2].map(seq => entryThatWorked(seq, FAILED)),
      failure_streak: 2,
      streak_broken: false,
      max_consecutive_failures: 2,
    },
  ],
  ['the money of the project is spent', () => engine.sql`update projects set credit_micro = 0`],
  [
    'another version of the agent was deployed to the run',
    ({ run_id }) =>
      engine.sql`update runs set deployment_id = null where id = ${run_id}`.then(() => engine.deploy()),
  ],
])('a flush takes nothing when %s', async (_, happens, more) => {
  const { run_id, claim } = await heldAtCap()
  await happens(claim)
  const { recorded, taken } = await settle(engine.sql, flushOf(claim, 2, more))
  expect({ recorded, taken }).toEqual({ recorded: 2, taken: [] })
  expect(await conservation(engine, run_id)).toEqual([])
})

it.each<[string, () => Promise<unknown>]>([
  [
    'partitions have a cap',
    () => engine.sql`update projects set settings = settings || '{"partition_concurrency": 2}'`,
  ],
  [
    'there is a daily budget',
    () =>
      engine.sql`insert into budgets (project_id, period, limit_micro) values (${engine.project_id}, 'day', 1000000)`.then(
        () => engine.sql`update project_usage set spend_day = current_date`,
      ),
  ],
])('each claim reads the run first when %s', async (_, happens) => {
  await happens()
  expect((await heldAtCap()).claim.follow_up).toBeNull()
})

it('a claim that money bounds lets the next claim read the run', async () => {
  const run_id = await engine.submit(20, { budget_cents: 50 })
  await engine.sql`update projects set settings = settings || '{"concurrency": 256}'`
  const { claim } = await claimItems(engine.ctx, engine.key(run_id), LIMITS.claim_items)
  expect(claim!.items).toHaveLength(LIMITS.budget_probe_items)
  expect(claim!.follow_up).toBeNull()
})

it('a claim that leaves room under the cap lets the next claim read the run', async () => {
  expect((await heldAtCap(CAP - 1)).claim.follow_up).toBeNull()
})

it.skipIf(onCluster('a flush claims nothing there'))(
  'a run at its cap is read once, and its flushes take the rest of its items',
  async () => {
    const locked = Promise.withResolvers<void>()
    engine.play(async function* (items) {
      await locked.promise
      yield* items.map(item => result(item))
    })
    const run_id = await engine.submit(40)
    const now = Date.now() // stands still: after a second a claim would read the run again
    const consuming = consume({ ...engine.ctx, now: () => now })
    await eventually(() => expect(engine.requests).toHaveLength(1))
    await engine.sql.begin(async tx => {
      // A claim that reads the run waits for this lock, since it reads the prices of the project.
      await tx`lock table prices in access exclusive mode`
      locked.resolve()
      await eventually(async () => expect(await engine.run(run_id)).toMatchObject({ status: 'completed' }))
    })
    await consuming
  },
)

it('a run at its cap is worked off from flush to flush, and every claim ends, whether items work or fail', async () => {
  // Items that are answered one by one are written by two flushes at a time.
  engine.play(async function* (items) {
    for (const item of items) {
      await new Promise(setImmediate)
      if (item.seq % 5 === 0) yield centStep(item, 'call')
      yield item.seq % 7 === 0 ? failure(item, 'upstream_down') : result(item)
    }
  })
  const run_id = await engine.submit(200)
  await consume(engine.ctx)
  expect(await engine.run(run_id)).toMatchObject({ status: 'partial', failed: 28 })
  expect(await conservation(engine, run_id)).toEqual([])
  const sent = engine.requests.flat().map(({ seq }) => seq)
  expect(sent.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
})

it('a flush that is sent again after a stop takes nothing', async () => {
  const answering = Promise.withResolvers<void>()
  engine.play(async function* (items) {
    await answering.promise
    yield* items.map(item => result(item))
  })
  const run_id = await engine.submit(10)
  const stop = new AbortController()
  const consuming = consume(engine.ctx, { stop: stop.signal })
  await eventually(() => expect(engine.requests).toHaveLength(1))
  // As while PostgreSQL restarts.
  await engine.sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'away' using errcode = '57P03'; end $$`
  await engine.sql`create trigger refuse before update on items for each row execute function refuse()`
  answering.resolve()
  await eventually(() => expect(engine.log.some(line => line.includes('settle_failed'))).toBe(true))
  stop.abort()
  await engine.sql`drop trigger refuse on items`
  expect(await consuming).toMatchObject({ claimed: CAP, settled: CAP })
  expect(await conservation(engine, run_id)).toEqual([])
})

it('a stopped consumer waits for the flush of each run, whichever ends last', async () => {
  const answering = Promise.withResolvers<void>()
  engine.play(async function* (items) {
    await answering.promise
    yield* items.map(item => result(item))
  })
  const other = await engine.submit(1, { agent_id: await engine.agent('other') })
  const run_id = await engine.submit(8, { concurrency: 2 })
  const stop = new AbortController()
  const consuming = consume(engine.ctx, { stop: stop.signal })
  await eventually(() => expect(engine.requests).toHaveLength(2))
  await engine.sql.begin(async tx => {
    await tx`select from runs where project_id = ${engine.project_id} and id = any(${[other, run_id]}) order by id for no key update`
    answering.resolve()
    await eventually(async () => expect(await countWaiting(engine.sql)).toBe(2))
    stop.abort()
  })
  const { claimed, settled } = await consuming
  expect(settled).toBe(claimed)
  expect(await conservation(engine, run_id)).toEqual([])
})
