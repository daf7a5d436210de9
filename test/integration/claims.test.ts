// Who may take how much of a pile while others change it: what was seen may be old, what is taken never breaks a cap.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { admit } from '../../shared/domain/admission.ts'
import { admissionFacts, claimItems } from '../../shared/engine/claim.ts'
import { readRun } from '../../shared/store/claims.ts'
import { takeRange } from '../../shared/store/take.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'

const MOST = 30

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Resolves when so many statements wait for a lock. */
const waiting = (statements: number) =>
  vi.waitFor(async () =>
    expect(
      await engine.sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    ).toHaveLength(statements),
  )

/** Lets claims look at their runs, and then changes something before any of them takes; returns what each took. */
async function claimsBehind(runIds: string[], change: (sql: TestEngine['sql']) => unknown = () => {}) {
  let claiming: ReturnType<typeof claimItems>[] = []
  await engine.sql.begin(async tx => {
    await tx`select from runs order by id for no key update`
    claiming = runIds.map(runId => claimItems(engine.ctx, runId, MOST))
    await waiting(runIds.length)
    await change(tx as unknown as TestEngine['sql'])
  })
  const answers = await Promise.all(claiming)
  return answers.map(({ claim }) => claim?.items.map(item => item.seq) ?? [])
}

/** Of all runs, whether the counts are those of the items. */
const recounted = () => engine.sql`
  select r.id from runs r join project_usage u using (project_id)
  where r.running <> (select count(*) from items where run_id = r.id and status = 'running')
    or u.running <> (select count(*) from items where status = 'running')
    or r.running <> (select coalesce(sum(cardinality(seqs)), 0) from claims where run_id = r.id)`

describe('claims that looked at the same moment', () => {
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

  it('share what is due, and no item is taken twice', async () => {
    const runId = await engine.submit(4)
    await engine.sql`insert into due_items (run_id, seq, due_at) select run_id, seq, now() from items`
    await engine.sql`update runs set next_seq = 5`
    const taken = await claimsBehind([runId, runId, runId])
    expect(taken.flat().sort()).toEqual([1, 2, 3, 4])
    expect(await recounted()).toEqual([])
  })
})

describe('a claim that looked before', () => {
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

  it('takes nothing for a deployment that the run did not begin with', async () => {
    const runId = await engine.submit(5)
    await engine.sql`update runs set deployment_id = null` // as of an agent that had none yet
    await engine.deploy()
    const begin = (tx: TestEngine['sql']) =>
      tx`update runs set deployment_id = (select id from deployments where version = 1)`
    expect(await claimsBehind([runId], begin)).toEqual([[]])
    const { claim } = await claimItems(engine.ctx, runId, MOST)
    expect(claim!.items).toHaveLength(5)
  })

  it('takes what was brought back meanwhile', async () => {
    const runId = await engine.submit(5)
    await engine.sql`update items set status = 'paused' where seq = 3`
    const resume = (tx: TestEngine['sql']) => tx`update items set status = 'queued'`
    expect(await claimsBehind([runId], resume)).toEqual([[1, 2, 3, 4, 5]])
  })
})

it('what may start under the lock is what the rules of the domain say', async () => {
  const runId = await engine.submit(40)
  const { sql } = engine
  const { deployment } = (await readRun(sql, runId))!
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
            const facts = admissionFacts((await readRun(sql, runId))!)
            const items = await takeRange(sql, {
              run_id: runId,
              project_id: engine.project_id,
              deployment_id: deployment!.id,
              lease_ms: 1000,
              most: MOST,
              fresh: true,
              agent_concurrency: null,
              expected_micro,
            })
            // Nothing of this run has ended, so that the average says nothing and the estimate stands for itself.
            const { room } = admit({ ...facts, item_budget_micro: expected_micro })
            expect([items.length, facts]).toEqual([Math.min(room, MOST), facts])
            await sql`update items set status = 'queued', attempt = 0`
          }
}, 120_000)
