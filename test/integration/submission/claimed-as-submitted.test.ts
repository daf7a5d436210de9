// Items that are claimed by the statement which submits them, for the consumer of the same process. The rules of any
// claim apply, and items that already wait come first.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startConsumer } from '../../../infra/node/consumer.ts'
import { reapClaims } from '../../../shared/claims/queries/run-facts.ts'
import { type Claim, claimItems } from '../../../shared/claims/verbs/claim.ts'
import { GivenClaims } from '../../../shared/claims/verbs/given-claims.ts'
import type { Context } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { type RunOrder, submitRun } from '../../../shared/submission/verbs/submit.ts'
import { giveEnv } from '../../support/deployment-env.ts'
import { centStep, conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { onCluster } from '../../support/on-cluster.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())
/** Restores the state before any test. */
async function forget() {
  const { sql } = engine
  for (const table of ['due_items', 'claims', 'triage', 'attempts', 'steps', 'items', 'runs', 'budgets'])
    await sql.unsafe(`delete from ${table}`)
  await sql`update project_usage set running = 0, spent_micro = 0, failures = 0, spend_day = null`
  await sql`update projects set settings = '{}', credit_micro = null`
  await sql`update accounts set status = 'active'`
  await sql`update installation set held_since = null`
  await sql`update deployments set env_sealed = null, declaration = '{"name": "played"}'`
}
afterEach(forget)

async function submitTo(ctx: Context, items: number, order: Partial<RunOrder> = {}): Promise<string> {
  const { project_id, agent_id } = engine
  const nothing = {
    name: null,
    budget_cents: null,
    concurrency: null,
    timeout_seconds: null,
    callback_url: null,
  }
  async function* batch() {
    yield Array.from({ length: items }, (_, i) => ({
      line: i + 1,
      item_id: `item-${i + 1}`,
      partition_key: i % 2 === 0 ? 'even' : null,
      input: `{"n":${i + 1}}`,
    }))
  }
  const whole = { project_id, agent_id, idempotency: null, ...nothing, ...order }
  return (await submitRun(ctx, whole, batch())).run_id
}

/** The runs whose counters differ from a recount of items and claims. */
const recounted = () => engine.sql`
  select r.id from runs r join project_usage u using (project_id)
  where r.project_id = ${engine.project_id}
    and (r.running <> (select count(*) from items
        where project_id = ${engine.project_id} and run_id = r.id and status = 'running')
      or r.running <> (select coalesce(sum(cardinality(seqs)), 0) from claims
        where project_id = ${engine.project_id} and run_id = r.id))`

/** A process whose consumer keeps the claims it is given, and how often another poll was asked for. */
function keeping() {
  const [given, asked] = [new GivenClaims(() => {}), { notices: 0 }]
  const ctx: Context = { ...engine.ctx, consumer: given, notify: () => void asked.notices++ }
  return { ctx, given, asked }
}

/** The claim without what differs between two equal runs. */
const comparable = (claim: Claim | null | undefined) =>
  claim && {
    ...claim,
    id: 0,
    run_id: '',
    waited_ms: 0,
    follow_up: null, // a run that was just opened is read by its next claim
    items: claim.items.map(item => ({ ...item, claim_id: 0 })),
  }

describe.skipIf(onCluster('a submission claims nothing there'))(
  'items that are claimed with their submission',
  () => {
    const ITEMS = LIMITS.budget_probe_items + 2
    const declares = (declaration: string) =>
      `update deployments set declaration = declaration || '${declaration}'`
    const settings = (settings: string) => `update projects set settings = '${settings}'`
    const states: [name: string, taken: number, state: { order?: Partial<RunOrder>; sql?: string }][] = [
      ['without any bound', ITEMS, {}],
      ['under a cap of the run', 3, { order: { concurrency: 3 } }],
      ['under a cap of the agent', 4, { sql: declares('{"concurrency": 4}') }],
      ['under a cap of the project', 5, { sql: settings('{"concurrency": 5}') }],
      [
        'under a cap of the project that others partly use',
        2,
        { sql: `${settings('{"concurrency": 5}')}; update project_usage set running = 3` },
      ],
      [
        'under a cap of the project that others use up',
        0,
        { sql: `${settings('{"concurrency": 5}')}; update project_usage set running = 5` },
      ],
      ['in a pilot', 2, { order: { pilot_items: 2 } }],
      ['with a timeout of the run', ITEMS, { order: { timeout_seconds: 7 } }],
      ['under a budget of the run', LIMITS.budget_probe_items, { order: { budget_cents: 100 } }],
      [
        'under a budget that allows models without a price',
        LIMITS.budget_probe_items,
        { order: { budget_cents: 100, unpriced: 'allow' } },
      ],
      ['under a budget of each item', ITEMS, { sql: declares('{"item_budget_cents": 3}') }],
      [
        'with credit for two items',
        2,
        { sql: `${declares('{"item_budget_cents": 3}')}; update projects set credit_micro = 60000` },
      ],
      [
        'with spent credit',
        0,
        { sql: 'update projects set credit_micro = 7; update project_usage set spent_micro = 7' },
      ],
      ['in an installation that is held', 0, { sql: 'update installation set held_since = now()' }],
    ]
    it.for(states)('are those that a separate claim takes, %s', async ([, taken, { order, sql }]) => {
      if (sql) await engine.sql.unsafe(sql)
      const { ctx, given, asked } = keeping()
      await submitTo(ctx, ITEMS, order)
      const [claim] = given.take()
      expect(claim?.items.length ?? 0).toBe(taken)
      expect(asked.notices).toBe(taken < ITEMS ? 1 : 0)
      expect(given.reserved).toBe(0)
      expect(await recounted()).toEqual([])

      await forget()
      if (sql) await engine.sql.unsafe(sql)
      const runId = await submitTo(engine.ctx, ITEMS, order)
      const own = await claimItems(engine.ctx, engine.key(runId), ITEMS)
      expect(comparable(claim)).toEqual(comparable(own.claim ?? undefined))
    })

    it('are none under a daily budget, which a separate claim computes', async () => {
      await engine.sql`insert into budgets (project_id, period, limit_micro) select id, 'day', 1000 from projects`
      await engine.sql`update project_usage set spend_day = current_date`
      const { ctx, given, asked } = keeping()
      const runId = await submitTo(ctx, ITEMS)
      expect([given.isEmpty, given.reserved, asked.notices]).toEqual([true, 0, 1])
      const { claim } = await claimItems(engine.ctx, engine.key(runId), ITEMS)
      expect(claim?.items.length).toBe(LIMITS.budget_probe_items)
    })

    it('are none under limits that the agent declares, which a consumer keeps', async () => {
      await engine.sql.unsafe(declares('{"limits": [{"host": "api.provider.test", "requests": "3/d"}]}'))
      const { ctx, given, asked } = keeping()
      await submitTo(ctx, 1)
      expect([given.isEmpty, given.reserved, asked.notices]).toEqual([true, 0, 1])
    })

    it('come with the environment of their agent', async () => {
      await giveEnv(engine.ctx, { TOKEN: 'secret' })
      const { ctx, given } = keeping()
      await submitTo(ctx, 1)
      expect(given.take()[0]?.target.env).toEqual({ TOKEN: 'secret' })
    })

    it('are retried if that environment cannot be opened, and the caller still gets an answer', async () => {
      await engine.sql`update deployments set env_sealed = 'of another key'`
      const { ctx, given } = keeping()
      const runId = await submitTo(ctx, 1)
      expect([given.isEmpty, given.reserved]).toEqual([true, 0])
      await engine.expireLeases()
      await reapClaims(engine.sql, 10)
      expect(await engine.run(runId)).toMatchObject({ running: 0, total_items: 1, finished_at: null })
    })
  },
)

describe('nothing is claimed with a submission', () => {
  /** Expects that nothing was claimed and another poll was asked for instead. */
  async function expectNone(ctx: Context, asked: { notices: number }, items = 1) {
    const runId = await submitTo(ctx, items)
    expect(await engine.run(runId)).toMatchObject({ running: 0, total_items: items })
    expect(asked.notices).toBe(1)
  }

  it('in a process that has no consumer', async () => {
    const { ctx, asked } = keeping()
    const { consumer: _, ...without } = ctx
    await expectNone(without, asked)
  })

  it('that has more items than may be claimed with it', async () => {
    const { ctx, asked } = keeping()
    await expectNone(ctx, asked, LIMITS.claimed_as_submitted + 1)
  })

  it.for([
    ['items that nobody has claimed yet', () => engine.submit(1)],
    [
      'an item that is due again',
      async () => {
        const runId = await engine.submit(1)
        await claimItems(engine.ctx, engine.key(runId), 1)
        await engine.expireLeases()
        await reapClaims(engine.sql, 10)
      },
    ],
  ] as const)('while its project has %s', async ([, wait]) => {
    await wait()
    const { ctx, asked } = keeping()
    await expectNone(ctx, asked)
  })

  it('while partitions have a cap', async () => {
    await engine.sql`update projects set settings = '{"partition_concurrency": 1}'`
    const { ctx, asked } = keeping()
    await expectNone(ctx, asked, 3)
  })

  it.skipIf(onCluster('a submission claims nothing there'))(
    'while another transaction holds the usage row of its project, and it does not wait for that row',
    async () => {
      const { ctx, asked } = keeping()
      await engine.sql.begin(async tx => {
        await tx`select from project_usage for no key update`
        await expectNone(ctx, asked)
      })
    },
  )

  it('while the consumer has no room for it', async () => {
    const { ctx, given, asked } = keeping()
    given.hasRoom = items => items < 3
    await expectNone(ctx, asked, 3)
  })
})

it('concurrent submissions keep to the cap of their project', async () => {
  const CAP = 3
  await engine.sql`update projects set settings = ${engine.sql.json({ concurrency: CAP })}`
  const loop = startConsumer(() => ctx)
  const ctx: Context = { ...engine.ctx, consumer: loop.given, notify: () => loop.notify() }
  let [inFlight, most] = [0, 0]
  engine.play(async function* (items) {
    inFlight += items.length
    most = Math.max(most, inFlight)
    await new Promise(resolve => setImmediate(resolve))
    inFlight -= items.length
    yield* items.map(item => result(item))
  })
  const runIds = await Promise.all(Array.from({ length: 24 }, (_, i) => submitTo(ctx, 1 + (i % 3))))
  for (const runId of runIds) await ended(runId)
  await loop.close()
  expect(most).toBeLessThanOrEqual(CAP)
  expect(await recounted()).toEqual([])
})

it.skipIf(onCluster('a submission claims nothing there'))(
  'single items submitted one after another are executed once each, most of them without another poll',
  async () => {
    const loop = startConsumer(() => ctx)
    const notices = { made: 0 }
    const ctx: Context = { ...engine.ctx, consumer: loop.given, notify: () => void notices.made++ }
    engine.play(items => items.flatMap(item => [centStep(item, 'a'), result(item)]))
    let looks = 0
    for (let i = 0; i < 30; i++) {
      const runId = await submitTo(ctx, 1)
      if (notices.made > looks) loop.notify()
      looks = notices.made
      await ended(runId)
      expect(await engine.run(runId)).toMatchObject({ ok: 1, cost_micro: 10_000 })
      expect(await conservation(engine, runId)).toEqual([])
    }
    await loop.close()
    expect(looks).toBeLessThan(15)
    expect(await engine.sql`select from attempts`).toEqual([])
  },
)

it.skipIf(onCluster('a submission claims nothing there'))(
  'the request to the agent goes out before the answer to the caller',
  async () => {
    const loop = startConsumer(() => ctx)
    const order: string[] = []
    const ctx: Context = {
      ...engine.ctx,
      consumer: loop.given,
      notify: () => loop.notify(),
      invokeAgent(target, request) {
        order.push('agent')
        return engine.ctx.invokeAgent(target, request)
      },
    }
    engine.play(items => items.map(item => result(item)))
    await ended(await submitTo(ctx, 1)) // the keys that sign requests are derived once
    order.length = 0
    const runId = await submitTo(ctx, 1)
    order.push('caller')
    await ended(runId)
    await loop.close()
    expect(order).toEqual(['agent', 'caller'])
  },
)

const ended = (runId: string) =>
  eventually(async () => expect((await engine.run(runId)).finished_at).not.toBeNull())
