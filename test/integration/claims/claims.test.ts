// How many items a claim takes while others change the run. What it read may be stale, but it never breaks a cap.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeRange } from '../../../shared/claims/queries/claim.ts'
import { readRun } from '../../../shared/claims/queries/run-facts.ts'
import { takeFunctions } from '../../../shared/claims/queries/take-functions.ts'
import { admit } from '../../../shared/claims/rules/admission.ts'
import { admissionFacts, claimItems } from '../../../shared/claims/verbs/claim.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { serverOf } from '../../../shared/kernel/packed-columns.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting } from '../../support/on-cluster.ts'

const MOST = 30

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Resolves when so many statements wait for a lock. */
const waiting = (statements: number) =>
  eventually(async () => expect(await countWaiting(engine.sql)).toBe(statements))

/** Lets claims read their runs, applies `change` before any of them takes items, and returns what each one took. */
async function claimsBehind(runIds: string[], change: (sql: TestEngine['sql']) => unknown = () => {}) {
  let claiming: ReturnType<typeof claimItems>[] = []
  await engine.sql.begin(async tx => {
    await tx`select from runs where project_id = ${engine.project_id} order by id for no key update`
    claiming = runIds.map(runId => claimItems(engine.ctx, engine.key(runId), MOST))
    await waiting(runIds.length)
    await change(tx as unknown as TestEngine['sql'])
  })
  const answers = await Promise.all(claiming)
  return answers.map(({ claim }) => claim?.items.map(item => item.seq) ?? [])
}

/** The runs whose counters differ from a recount of items and claims. */
const recounted = () => engine.sql`
  select r.id from runs r join project_usage u using (project_id)
  where r.project_id = ${engine.project_id}
    and (r.running <> (select count(*) from items where project_id = ${engine.project_id} and run_id = r.id and status = 'running')
      or u.running <> (select count(*) from items where project_id = ${engine.project_id} and status = 'running')
      or r.running <> (select coalesce(sum(cardinality(seqs)), 0) from claims
        where project_id = ${engine.project_id} and run_id = r.id))`

describe('concurrent claims that read the same state', () => {
  it('take no more than the cap of the run, and no item twice [runs.concurrency]', async () => {
    const runId = await engine.submit(50, { concurrency: 7 })
    const taken = await claimsBehind([runId, runId, runId])
    expect(taken.flat()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await recounted()).toEqual([])
  })

  it('take no more than the cap of the project over all its runs [runs.concurrency]', async () => {
    await engine.sql`update projects set settings = settings || '{"concurrency": 5}'`
    const runIds = [await engine.submit(20), await engine.submit(20)]
    const taken = await claimsBehind(runIds)
    expect(taken.flat()).toHaveLength(5)
    expect(await recounted()).toEqual([])
  })

  it('take no more of a partition than its cap', async () => {
    await engine.sql`update projects set settings = settings || '{"partition_concurrency": 2}'`
    const runId = await engine.submit(Array.from({ length: 9 }, (_, i) => ({ partition_key: `p${i % 3}` })))
    const taken = await claimsBehind([runId, runId, runId])
    expect(taken.flat()).toHaveLength(6)
    expect(await recounted()).toEqual([])
  })

  it('share the due items, and no item is taken twice', async () => {
    const runId = await engine.submit(4)
    await engine.sql`insert into due_items (project_id, run_id, seq, due_at)
      select project_id, run_id, seq, now() from items`
    await engine.sql`update runs set next_seq = 5`
    const taken = await claimsBehind([runId, runId, runId])
    expect(taken.flat().sort()).toEqual([1, 2, 3, 4])
    expect(await recounted()).toEqual([])
  })
})

describe('a claim that read its run before a change', () => {
  it('takes nothing of a run that was stopped meanwhile [lifecycle.cancelled]', async () => {
    const runId = await engine.submit(5)
    expect(await claimsBehind([runId], tx => tx`update runs set stop_reason = 'cancelled'`)).toEqual([[]])
    expect(await engine.run(runId)).toMatchObject({ running: 0, next_seq: 1 })
  })

  it('takes nothing once the budget is spent', async () => {
    const runId = await engine.submit(5, { budget_cents: 1 })
    const spend = (tx: TestEngine['sql']) => tx`update runs set cost_micro = budget_micro`
    expect(await claimsBehind([runId], spend)).toEqual([[]])
  })

  it('takes nothing if the run began with another deployment meanwhile', async () => {
    const runId = await engine.submit(5)
    await engine.sql`update runs set deployment_id = null` // as if the agent had no deployment yet
    await engine.deploy()
    const begin = (tx: TestEngine['sql']) =>
      tx`update runs set deployment_id = (select id from deployments where project_id = ${engine.project_id} and version = 1)
        where project_id = ${engine.project_id}`
    expect(await claimsBehind([runId], begin)).toEqual([[]])
    const { claim } = await claimItems(engine.ctx, engine.key(runId), MOST)
    expect(claim!.items).toHaveLength(5)
  })

  it.for([
    ['whose account was suspended', "update accounts set status = 'suspended'"],
    ['whose project was deleted', 'update projects set account_id = null'],
    ['of an installation that is held', 'update installation set held_since = now()'],
  ] as const)('takes nothing of a run %s while it claims', async ([, change]) => {
    const runId = await engine.submit(5)
    expect(await claimsBehind([runId], tx => tx.unsafe(change))).toEqual([[]])
    expect(await engine.run(runId)).toMatchObject({ running: 0, next_seq: 1 })
    expect(await recounted()).toEqual([])
  })

  it('takes and writes nothing if another claim took the last items meanwhile', async () => {
    const runId = await engine.submit(5)
    const take = (tx: TestEngine['sql']) => tx`update runs set next_seq = 6, touched_at = 'epoch'`
    expect(await claimsBehind([runId], take)).toEqual([[]])
    expect(await engine.run(runId)).toMatchObject({ touched_at: new Date(0) })
  })

  it('takes an item that was resumed meanwhile', async () => {
    const runId = await engine.submit(5)
    await engine.sql`update items set status = 'paused' where seq = 3`
    const resume = (tx: TestEngine['sql']) => tx`update items set status = 'queued'`
    expect(await claimsBehind([runId], resume)).toEqual([[1, 2, 3, 4, 5]])
  })
})

it('a claim skips items in backoff, even after the cap of partitions was lifted, and takes them once they are due', async () => {
  const runId = await engine.submit(5)
  // As a claim by partitions left them: returned for a retry, and not below the cursor.
  await engine.sql`insert into due_items (project_id, run_id, seq, due_at, together)
    select ${engine.project_id}, ${runId}, seq, now() + interval '1 hour', 4 from unnest('{2,3}'::int[]) seq`
  const { claim } = await claimItems(engine.ctx, engine.key(runId), MOST)
  expect(claim!.items.map(({ seq }) => seq)).toEqual([1, 4, 5])
  expect((await claimItems(engine.ctx, engine.key(runId), MOST)).claim).toBeNull()
  await engine.skipBackoff()
  const { claim: again } = await claimItems(engine.ctx, engine.key(runId), MOST)
  expect(again!.items.map(({ seq, together }) => [seq, together])).toEqual([
    [2, 4],
    [3, 4],
  ])
  expect(await recounted()).toEqual([])
})

it('a lease is counted from when the claim got its lock, however long it waited for the lock', async () => {
  const runId = await engine.submit(1)
  let unlocked: Date
  await claimsBehind([runId], async tx => {
    const [now] = await tx`select clock_timestamp() as at`
    unlocked = now!.at
  })
  const [claim] = await engine.sql`select lease_until from claims`
  expect(claim!.lease_until.getTime()).toBeGreaterThanOrEqual(unlocked!.getTime() + LIMITS.lease_ms)
})

it('an item of an earlier attempt is claimed with its step count, cost, running time and failures', async () => {
  const runId = await engine.submit(2)
  const past = {
    step_count: 3,
    cost_micro: 5_000_000_000,
    extra_budget_micro: 7,
    ran_ms: 11,
    agent_failures: 1,
  }
  await engine.sql`update items set ${engine.sql(past)} where seq = 2`
  const { claim } = await claimItems(engine.ctx, engine.key(runId), MOST)
  expect(claim!.items).toMatchObject([
    {
      step_count: 0,
      cost_micro: 0,
      extra_budget_micro: null,
      unpriced: false,
      ran_ms: 0,
      together: null,
      cuts: null,
    },
    { ...past, unpriced: false, transport_failures: 0, together: null, cuts: null },
  ])
})

it('a claim under the lock takes as many items as the rule of admission allows', async () => {
  const runId = await engine.submit(40)
  const { sql } = engine
  const { deployment } = (await readRun(sql, engine.key(runId)))!
  const caps = [
    { run: null, project: 256 },
    { run: 9, project: 256 },
    { run: null, project: 10 },
  ]
  const money = [
    { budget: null, credit: null },
    { budget: 100, credit: null },
    { budget: null, credit: 100 },
  ]
  for (const { run, project } of caps)
    for (const { budget, credit } of money)
      for (const spent of [0, 60, 100])
        for (const running of [0, 3, 12])
          for (const expected_micro of [null, 0, 7]) {
            await sql`update runs set concurrency = ${run}, budget_micro = ${budget}, cost_micro = ${spent},
              running = ${running}, next_seq = 1`
            await sql`update project_usage set running = ${running}, spent_micro = ${spent}`
            await sql`update projects set credit_micro = ${credit},
              settings = settings || jsonb_build_object('concurrency', ${project}::int)`
            const item_budget_cents = expected_micro === null ? undefined : expected_micro / 10_000
            await sql`update deployments set declaration = ${sql.json({ name: 'played', item_budget_cents })}`
            const facts = admissionFacts((await readRun(sql, engine.key(runId)))!)
            const items = await takeRange(sql, {
              kept_places: 0,
              kept_of_run: 0,
              run_id: runId,
              project_id: engine.project_id,
              deployment_id: deployment!.id,
              lease_ms: 1000,
              most: MOST,
              fresh: true,
            })
            const { room } = admit(facts)
            expect([items.length, facts]).toEqual([Math.min(room, MOST), facts])
            await sql`update items set status = 'queued', attempt = 0`
          }
})

it('a run whose due items are all held back by the cap of their partition moves behind the other runs in the poll order', async () => {
  await engine.sql`update projects set settings = settings || '{"partition_concurrency": 1}'`
  const runId = await engine.submit([{ partition_key: 'p' }, { partition_key: 'p' }])
  expect((await claimItems(engine.ctx, engine.key(runId), MOST)).claim!.items).toHaveLength(1)
  await engine.sql`insert into due_items (project_id, run_id, seq, due_at)
    values (${engine.project_id}, ${runId}, 2, now())`
  await engine.sql`update runs set next_seq = 3, touched_at = 'epoch'`
  expect((await claimItems(engine.ctx, engine.key(runId), MOST)).claim).toBeNull()
  expect((await engine.run(runId)).touched_at).not.toEqual(new Date(0))
})

// A migration may change a function by text of its own, which the source would not know.
it('the functions that take items are in the database what their source says', async () => {
  for (const definition of takeFunctions(serverOf(engine.sql))) {
    const [, name, body] = /FUNCTION (\w+)[\s\S]*?\$\$([\s\S]*)\$\$/.exec(definition)!
    const found = await engine.sql`select prosrc from pg_proc where proname = ${name!}`
    expect(found).toEqual([{ prosrc: body }])
  }
})
