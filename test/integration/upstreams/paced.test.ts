// Items that begin no faster than the limits of what they need allow. The agent tells limits in lines, as one in another
// language does; conservation is checked after each test.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertDeployment } from '../../../shared/agents/queries/deployments.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { DeclaredLimits } from '../../../shared/pacing/rules/declared-limits.ts'
import { isBound, type Pacing } from '../../../shared/pacing/rules/pacing.ts'
import type { ReportedLimit } from '../../../shared/pacing/vocabulary.ts'
import type { AgentLine, ItemLine, UpstreamReport } from '../../../shared/protocol/rules/protocol.ts'
import { readQueue } from '../../../shared/upkeep/verbs/queue.ts'
import { findProjectLimits } from '../../../shared/upstreams/queries/upstream-limits.ts'
import { agentHost } from '../../../shared/upstreams/rules/upstream.ts'
import { KnownUpstreams } from '../../../shared/upstreams/verbs/known-upstreams.ts'
import { changeLimits } from '../../../shared/upstreams/verbs/set-limits.ts'
import { conservation, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

let engine: TestEngine
let stop: AbortController
beforeEach(async () => {
  engine = await testEngine()
  stop = new AbortController()
})
afterEach(() => engine.close())

const HOST = 'api.provider.test'
const limit = (left: number, rest: Partial<ReportedLimit> = {}): ReportedLimit => ({
  of: 'requests',
  amount: 100,
  left,
  reset_ms: 3_600_000,
  window_ms: 3_600_000,
  ...rest,
})

const named = ({ seq, attempt }: ItemLine) => ({ seq, attempt })

/** An item whose only call was served. */
const called = (item: ItemLine, upstream: Partial<UpstreamReport>): AgentLine[] => [
  step(item, 'classify', { kind: 'llm_call', upstream: { host: HOST, served: 1, ...upstream } }),
  result(item),
]

const started = () => engine.requests.flat().length
const pacingOf = async (): Promise<Pacing | undefined> =>
  (await engine.sql<{ pacing: Pacing }[]>`select pacing from upstreams where host = ${HOST}`)[0]?.pacing

/** A provider that serves so many in an hour, and says how many are left; the second answer comes once the first was heard. */
function serve(amount: number) {
  let left = amount
  engine.play(async function* (items) {
    if (left < amount) await eventually(async () => expect(await pacingOf()).toBeDefined())
    for (const item of items) yield* called(item, { limits: [limit(Math.max(0, --left), { amount })] })
  })
}
const ended = async (runId: string) =>
  (await engine.items(runId)).filter(({ status }) => status === 'completed').length

describe('items that need a limited upstream [items.paced]', () => {
  it('are not sent beyond what its answers say is left, and hold no place meanwhile', async () => {
    await engine.deploy({ concurrency: 4 })
    serve(30)
    const runId = await engine.submit(100)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(started()).toBeGreaterThanOrEqual(20))
    await eventually(async () => {
      const run = await engine.run(runId)
      expect(run.running).toBe(0)
      expect(isBound((await pacingOf())!, Date.now())).toBe(true)
    })
    stop.abort()
    await consumed
    await engine.ctx.idle()
    // Those that had been sent before the first answer came are over it.
    expect(started()).toBeLessThanOrEqual(34)
    expect(await conservation(engine, runId)).toEqual([])
    expect(await engine.run(runId)).toMatchObject({ failed: 0, finished_at: null })
  })

  it('of an agent that other consumers know need permits here too', async () => {
    await engine.deploy({ concurrency: 4 })
    serve(4)
    await engine.submit(4)
    await consume(engine.ctx)
    await eventually(async () => expect((await pacingOf())!.limits[0]!.reports.at(-1)!.left).toBe(0))
    const before = (await pacingOf())!
    const other = engine.other(items => items.flatMap(item => called(item, {})))
    await KnownUpstreams.of(other).pacer.read([engine.project_id])
    const runId = await engine.submit(20)
    const consumed = consume(other, { stop: stop.signal })
    await eventually(async () =>
      expect((await pacingOf())!.looks.at(-1)!.at_ms).toBeGreaterThan(before.looks.at(-1)!.at_ms + 1000),
    )
    stop.abort()
    await consumed
    expect(await ended(runId)).toBe(0)
  })

  it('and come back without a call are not counted among those of which is learned what they call', async () => {
    await engine.deploy({ concurrency: 100 })
    let firsts = 0
    engine.play(async function* (items) {
      for (const item of items) {
        if (item.attempt > 1 || ++firsts <= 5) yield* called(item, {})
        else {
          const upstream = { host: HOST, fault: 'rate' as const, called: false }
          yield {
            type: 'error',
            ...named(item),
            error: { code: 'llm_call_error', message: 'no room', upstream },
          }
          // A turn is taken while the item is still here.
          await new Promise(resolve => setTimeout(resolve, LIMITS.upstream_turn_ms / 8))
        }
      }
    })
    const runId = await engine.submit(40)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(await ended(runId)).toBe(40))
    stop.abort()
    await consumed
    await engine.ctx.idle()
    const { items, calls } = (await pacingOf())!.declared
    expect(items / calls).toBeLessThan(1.3)
  })

  it('whose client tries again by itself are noted with their upstream', async () => {
    await engine.deploy({ concurrency: 4 })
    engine.play(items => items.flatMap(item => called(item, { client_retries: true })))
    await engine.submit(1)
    await consume(engine.ctx)
    await eventually(async () => expect((await pacingOf())?.client_retries_ms).toBeGreaterThan(0))
    engine.play(items => items.flatMap(item => called(item, {})))
    const before = (await pacingOf())!.client_retries_ms
    await engine.submit(1)
    await consume(engine.ctx)
    expect((await pacingOf())!.client_retries_ms).toBe(before)
  })

  it('share permits between runs, whatever their size', async () => {
    await engine.deploy({ concurrency: 50 })
    engine.play(items =>
      items.flatMap(item =>
        called(item, { limits: [limit(2, { amount: 600, window_ms: 10_000, reset_ms: 9967 })] }),
      ),
    )
    const [large, small] = [await engine.submit(400), await engine.submit(20)]
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect((await engine.run(small)).finished_at).not.toBeNull())
    expect(await ended(large)).toBeLessThan(400)
    stop.abort()
    await consumed
  })

  it('that name ever new hosts cost few rows and turns', async () => {
    await engine.deploy({ concurrency: 100 })
    engine.play(items => items.flatMap(item => called(item, { host: `host-${item.seq}.test` })))
    const runId = await engine.submit(300)
    await consume(engine.ctx)
    await engine.ctx.idle()
    expect(await ended(runId)).toBe(300)
    const [{ count }] = await engine.sql<[{ count: number }]>`select count(*)::int from upstreams`
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThanOrEqual(LIMITS.upstreams_per_deployment)
  })

  it('are not held back by a provider that tells no limits and refuses nobody', async () => {
    await engine.deploy({ concurrency: 100 })
    engine.play(items => items.flatMap(item => called(item, {})))
    const runId = await engine.submit(3000)
    await consume(engine.ctx)
    expect(await ended(runId)).toBe(3000)
  })
})

describe('limits that people set [upstreams.limits]', () => {
  const set = (host: string, limits: DeclaredLimits) =>
    changeLimits(engine.ctx, { project_id: engine.project_id, host, label: '' }, limits)

  it('hold the items of an agent from the first one on, if they are for its address', async () => {
    await engine.deploy({ concurrency: 50 })
    engine.play(items => items.map(item => result(item)))
    const [{ url }] = await engine.sql<[{ url: string }]>`select url from deployments`
    await set(agentHost(url), { requests: '10/d' })
    const runId = await engine.submit(40)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(await ended(runId)).toBe(10))
    await eventually(async () => expect((await engine.run(runId)).running).toBe(0))
    expect(started()).toBe(10)
    const { runs } = await readQueue(engine.ctx, engine.project_id)
    expect(runs[0]!.wait).toMatchObject({
      token: 'paced',
      message: expect.stringContaining('leave room again'),
    })
    await set(agentHost(url), { requests: '25/d' })
    await eventually(async () => expect(await ended(runId)).toBe(25))
    await changeLimits(engine.ctx, { project_id: engine.project_id, host: agentHost(url), label: '' }, null)
    await eventually(async () => expect(await ended(runId)).toBe(40))
    stop.abort()
    await consumed
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('are found for an agent however many others the project has at that host', async () => {
    const { ctx, sql, project_id, agent_id } = engine
    const url = 'https://agents.test/claims?key=k9x2-p4q7-r8s1-t5u6'
    const id = ctx.newId()
    const deployed = { project_id, agent_id, kind: 'url' as const, declaration: { name: 'a' } as never }
    await insertDeployment(ctx.db, { ...deployed, id, url })
    await sql`insert into deployments (id, project_id, agent_id, version, kind, url, agent_host, declaration)
      select ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid, project_id, agent_id, version + n, kind, 'https://agents.test/' || n, 'https://agents.test/' || n, declaration
      from deployments cross join generate_series(1, 1100) n where id = ${id}`
    await set(agentHost(url), { requests: '10/d' })
    expect(await findProjectLimits(sql, [project_id])).toMatchObject([{ deployments: [id] }])
  })

  it('of items in flight hold over all consumers', async () => {
    await engine.deploy({ concurrency: 50 })
    let [now, most] = [0, 0]
    const play = async function* (items: ItemLine[]): AsyncGenerator<AgentLine> {
      now += items.length
      most = Math.max(most, now)
      yield* items.slice(0, 0).map(item => result(item))
      await new Promise(resolve => setImmediate(resolve))
      for (const item of items) {
        now--
        yield* called(item, {})
      }
    }
    engine.play(play)
    const other = engine.other(play)
    const [{ url }] = await engine.sql<[{ url: string }]>`select url from deployments`
    await set(agentHost(url), { in_flight: 3 })
    const runId = await engine.submit(60)
    const consumed = [consume(engine.ctx, { stop: stop.signal }), consume(other, { stop: stop.signal })]
    await eventually(async () => expect(await ended(runId)).toBe(60))
    stop.abort()
    await Promise.all(consumed)
    expect(most).toBeLessThanOrEqual(3)
  })
})

describe('what an agent tells of limits', () => {
  it.for<[unknown, string]>([
    [{ limits: 7 }, 'limits must be a list of at most 8'],
    [{ limits: [{ of: 'bananas', left: 1 }] }, 'limits must be a list of at most 8'],
    [{ limits: [{ of: 'requests', left: -1 }] }, 'limits must be a list of at most 8'],
    [{ limits: [{ of: 'requests', left: 1, amount: 'many' }] }, 'limits must be a list of at most 8'],
    [{ limits: [null] }, 'limits must be a list of at most 8'],
    [{ limits: Array(9).fill({ of: 'requests', left: 1 }) }, 'limits must be a list of at most 8'],
    [{ served: 1.5 }, 'served and held must be whole numbers'],
    [{ served: -1 }, 'served and held must be whole numbers'],
    [{ client_retries: 1 }, 'client_retries must be true or false'],
  ])('is refused with its item if it is wrong: %j', async ([report, words]) => {
    await engine.deploy({ concurrency: 1 })
    engine.play(items => items.flatMap(item => called(item, report as UpstreamReport)))
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    const [item] = await engine.items(runId)
    expect(item).toMatchObject({ status: 'failed', error_code: 'protocol_error' })
    expect(item!.error_message).toContain(words)
  })

  it('may leave out what it does not know', async () => {
    await engine.deploy({ concurrency: 1 })
    engine.play(items =>
      items.flatMap(item => called(item, { limits: [{ of: 'tokens', left: 500 } as ReportedLimit] })),
    )
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    expect(await ended(runId)).toBe(2)
  })
})
