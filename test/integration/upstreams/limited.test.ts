// Limits that a declaration or a schedule carries. The agent reports its calls in lines, as one in another language does.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { DeclaredLimits } from '../../../shared/pacing/rules/declared-limits.ts'
import type { PlainLimits } from '../../../shared/pacing/rules/named-limits.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { fireByHand } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule, updateSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { NO_SETTINGS } from '../../../shared/submission/wire/start-settings.ts'
import { readQueue } from '../../../shared/upkeep/verbs/queue.ts'
import { listUpstreams } from '../../../shared/upstreams/queries/shown-upstreams.ts'
import { limitedUpstream, upstreamId } from '../../../shared/upstreams/rules/upstream.ts'
import { Pacer } from '../../../shared/upstreams/verbs/pacer.ts'
import { changeLimits } from '../../../shared/upstreams/verbs/set-limits.ts'
import { upstreamOf } from '../../../shared/upstreams/wire/upstreams.ts'
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

/** An item whose only call was served. */
const called = (item: ItemLine): AgentLine[] => [
  step(item, 'classify', { kind: 'llm_call', upstream: { host: HOST, served: 1 } }),
  result(item),
]
const serve = () => engine.play(items => items.flatMap(called))
const started = () => engine.requests.flat().length
const ended = async (runId: string) =>
  (await engine.items(runId)).filter(({ status }) => status === 'completed').length
const isQuiet = (runId: string) => eventually(async () => expect((await engine.run(runId)).running).toBe(0))
const set = (host: string, limits: DeclaredLimits | null) =>
  changeLimits(engine.ctx, { project_id: engine.project_id, host, label: '' }, limits)

describe('limits that an agent declares [upstreams.declared]', () => {
  it.for([
    ['its provider', { host: HOST, requests: '10/d' }],
    ['a credential there', { host: HOST, credential: 'KEY', requests: '10/d' }],
    ['its own address', { host: 'http://played', requests: '10/d' }],
  ] as const)('hold from the first item on, for %s', async ([, limit]) => {
    await engine.deploy({ concurrency: 50, limits: [limit] })
    serve()
    const runId = await engine.submit(40)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(await ended(runId)).toBe(10))
    await isQuiet(runId)
    expect(started()).toBe(10)
    const { runs } = await readQueue(engine.ctx, engine.project_id)
    expect(runs[0]!.wait).toMatchObject({ token: 'paced', message: expect.stringContaining(limit.host) })
    stop.abort()
    await consumed
    expect(await conservation(engine, runId)).toEqual([])
  })

  it.for([
    ['10/d', '25/d'],
    ['25/d', '10/d'],
  ] as const)('and those of the project: of %s and %s the lower counts', async ([declared, project]) => {
    await engine.deploy({ concurrency: 50, limits: [{ host: 'http://played', requests: declared }] })
    await set('http://played', { requests: project })
    serve()
    const runId = await engine.submit(40)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(await ended(runId)).toBe(10))
    await isQuiet(runId)
    expect(started()).toBe(10)
    stop.abort()
    await consumed
  })

  it('hold no item of another agent, and are counted on by the next deployment that declares the same', async () => {
    await engine.deploy({ concurrency: 50, limits: [{ host: HOST, requests: '10/d' }] })
    serve()
    const runId = await engine.submit(40)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(await ended(runId)).toBe(10))
    await isQuiet(runId)
    await engine.deploy({ concurrency: 50, limits: [{ host: HOST, requests: '10/d' }], retries: 1 })
    const again = await engine.submit(5)
    const id = engine.ctx.newId()
    await engine.sql`insert into agents ${engine.sql({ id, project_id: engine.project_id, name: 'free', slug: 'free' })}`
    await engine.sql`insert into deployments ${engine.sql({
      id: engine.ctx.newId(),
      project_id: engine.project_id,
      agent_id: id,
      version: 1,
      kind: 'url',
      url: 'http://free',
      declaration: engine.sql.json({ name: 'free' }) as never,
    })}`
    await engine.sql`update agents set current_deployment_id = (select d.id from deployments d where d.agent_id = ${id}) where id = ${id}`
    const other = await engine.submit(30, { agent_id: id })
    await eventually(async () => expect((await engine.run(other)).finished_at).not.toBeNull())
    expect(await ended(again)).toBe(0)
    stop.abort()
    await consumed
    const [shown] = (await listUpstreams(engine.sql, [engine.project_id]))
      .map(upstreamOf)
      .filter(({ agent_id }) => agent_id !== null)
    expect(shown).toMatchObject({
      agent_id: engine.agent_id,
      host: HOST,
      declared_limits: [{ set_in: 'declaration', requests: '10/d', label: null }],
    })
  })

  it('of items in flight hold, however long a claim takes', async () => {
    const limits: PlainLimits[] = [{ host: HOST, in_flight: 3 }]
    await engine.deploy({ concurrency: 50, limits })
    let [now, most] = [0, 0]
    engine.play(async function* (items) {
      now += items.length
      most = Math.max(most, now)
      await new Promise(resolve => setTimeout(resolve, 20))
      for (const item of items) {
        now--
        yield* called(item)
      }
    })
    // Another transaction holds the run's row for longer than permits are kept, again and again.
    const runId = await engine.submit(30)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    for (let round = 0; round < 3; round++)
      await engine.sql.begin(async tx => {
        await tx`select from runs where id = ${runId} for update`
        await tx`select pg_sleep(0.9)`
      })
    await eventually(async () => expect(await ended(runId)).toBe(30))
    stop.abort()
    await consumed
    expect(most).toBeLessThanOrEqual(3)
  })
})

describe('declared limits, among many upstreams', () => {
  const names = () => {
    const { project_id, agent_id } = engine
    return { project_id, agent_id, deployment_id: engine.ctx.newId() }
  }
  const host = (nth: number) => ({ host: `host-${nth}.test`, requests: '10/d' })
  const callOthers = (pacer: Pacer, deployment_id: string, many: number) => {
    for (let nth = 0; nth < many; nth++)
      pacer.report(
        {
          project_id: engine.project_id,
          kind: 'credential',
          host: `other-${nth}.test`,
          key: '',
          model: '',
          deployment_id: null,
          label: null,
        },
        deployment_id,
        { limits: [], served: 1, held: 0, began_ms: 0, item: null },
      )
  }
  const counted = async () =>
    (
      await engine.sql<
        { host: string }[]
      >`select host from upstreams where agent_id is not null order by host`
    ).map(({ host }) => host)

  it.for([0, LIMITS.upstreams_per_deployment - 1, LIMITS.upstreams_per_deployment + 9])(
    'hold after %i others were called',
    async many => {
      const pacer = new Pacer(engine.ctx)
      const own = names()
      callOthers(pacer, own.deployment_id, many)
      await pacer.declare([{ ...own, limits: [host(1)] }])
      expect(pacer.room(own.deployment_id)).toBe(0)
      const id = upstreamId(limitedUpstream(own.project_id, own.agent_id, host(1)))
      expect(pacer.boundBy(own.deployment_id)).toContain(id)
      expect(await counted()).toEqual(['host-1.test'])
      await engine.ctx.idle()
    },
  )

  it('leave room for as many upstreams that are called', async () => {
    const pacer = new Pacer(engine.ctx)
    const own = names()
    await pacer.declare([{ ...own, limits: [host(1), host(2)] }])
    callOthers(pacer, own.deployment_id, LIMITS.upstreams_per_deployment + 9)
    await engine.ctx.idle()
    const [{ count }] = await engine.sql<
      [{ count: number }]
    >`select count(*)::int from upstreams where agent_id is null`
    expect(count).toBe(LIMITS.upstreams_per_deployment)
  })

  it('and those of its address hold in a project with as many upstreams as it may have', async () => {
    const { project_id } = engine
    await engine.sql`
      insert into upstreams (project_id, id, kind, host, key, model, state, since, words, used_at)
      select ${project_id}, gen_random_uuid(), 'credential', 'h' || n, '', '', 'open', now(), '', now()
      from generate_series(1, ${2 * LIMITS.upstreams_per_project}::int) n`
    await engine.deploy({ concurrency: 50, limits: [host(1)] })
    await set('http://played', { requests: '10/d' })
    const [deployment] = await engine.sql<
      { id: string }[]
    >`select id from deployments where project_id = ${project_id}`
    const own = { ...names(), deployment_id: deployment!.id }
    const pacer = new Pacer(engine.ctx)
    await pacer.read([project_id])
    await pacer.declare([{ ...own, limits: [host(1)] }])
    expect(pacer.boundBy(own.deployment_id).split(' ')).toHaveLength(2)
    expect(await counted()).toEqual(['host-1.test'])
  })

  it('count items whose turn was cut off', async () => {
    const { project_id } = engine
    await engine.deploy({ concurrency: 50 })
    await set('http://played', { requests: '10/d' })
    const [{ id }] = await engine.sql<
      [{ id: string }]
    >`select id from deployments where project_id = ${project_id}`
    const pacer = new Pacer(engine.ctx)
    await pacer.read([project_id])
    pacer.want(id, 4)
    await eventually(async () => expect(pacer.room(id)).toBe(4))
    await engine.sql.begin(async tx => {
      await tx`select from upstreams for update`
      pacer.begin(id, 4)
      pacer.end(id, 4)
      await eventually(async () => {
        const ended = await engine.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%from upstreams%'`
        expect(ended).toHaveLength(1)
      })
    })
    await engine.ctx.idle()
    pacer.want(id, 40)
    await eventually(async () => expect(pacer.room(id)).toBe(6))
    await engine.ctx.idle()
  })

  it('are asked for at once, and a look at many runs waits for few of them', async () => {
    const pacer = new Pacer(engine.ctx)
    const runs = Array.from({ length: 64 }, (_, nth) => ({ ...names(), limits: [host(10 + nth)] }))
    await pacer.declare(runs.slice(0, 1))
    await engine.sql.begin(async tx => {
      await tx`select from upstreams where agent_id is not null for update`
      const other = new Pacer(engine.ctx)
      const declared = other.declare(runs.slice(0, 2))
      await eventually(async () => expect(await counted()).toEqual(['host-10.test', 'host-11.test']))
      void declared
    })
    await pacer.declare(runs)
    expect((await counted()).length).toBeLessThan(30)
    for (const { deployment_id } of runs.slice(-1)) {
      expect(pacer.room(deployment_id)).toBe(0)
      pacer.want(deployment_id, 40)
      await eventually(async () => expect(pacer.room(deployment_id)).toBeGreaterThan(0))
    }
    await engine.ctx.idle()
  })
})

describe('limits that a schedule carries [schedules.limits]', () => {
  const schedule = async (limits: PlainLimits[]) => {
    const { project_id, agent_id } = engine
    const id = await createSchedule(engine.ctx, {
      project_id,
      agent_id,
      cron: '0 2 * * *',
      timezone: 'UTC',
      enabled: true,
      declared: false,
      input: '{"night":true}',
      limits,
    })
    const fire = () =>
      fireByHand(engine.ctx, {
        ...NO_SETTINGS,
        id,
        project_id,
        agent_id,
        cron: '0 2 * * *',
        name: null,
        input: '{"night":true}',
        source: null,
        source_headers_sealed: null,
        timezone: 'UTC',
        results: null,
      } as never)
    return { key: { project_id, id }, fire }
  }

  it("stand in place of the project's while its run is at work, above too, and end with it", async () => {
    await engine.deploy({ concurrency: 50 })
    await set('http://played', { requests: '10/d' })
    const night = await schedule([{ host: 'http://played', requests: '25/d' }])
    let finish = () => {}
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    engine.play(async function* (items) {
      for (const item of items) {
        if (JSON.stringify(item.input).includes('night')) await finished
        yield* called(item)
      }
    })
    const runId = await engine.submit(40)
    const consumed = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => expect(await ended(runId)).toBe(10))
    await isQuiet(runId)
    const { run_id: nightly } = await night.fire()
    // 25 in all: the ten of before, the night's own item, and 14 more.
    await eventually(async () => expect(await ended(runId)).toBe(24))
    await isQuiet(runId)
    await updateSchedule(engine.ctx, night.key, { limits: [{ host: 'http://played', requests: '30/d' }] })
    await eventually(async () => expect(await ended(runId)).toBe(29))
    await isQuiet(runId)
    const shown = (await listUpstreams(engine.sql, [engine.project_id])).map(upstreamOf)
    expect(shown.find(({ host }) => host === 'http://played')!.declared_limits).toEqual([
      expect.objectContaining({ set_in: 'project', requests: '10/d' }),
      expect.objectContaining({ set_in: 'schedule', id: night.key.id, requests: '30/d' }),
    ])
    finish()
    await eventually(async () => expect((await engine.run(nightly)).finished_at).not.toBeNull())
    await set('http://played', { requests: '31/d' })
    await eventually(async () => expect(await ended(runId)).toBe(30))
    await isQuiet(runId)
    stop.abort()
    await consumed
    expect(await conservation(engine, runId)).toEqual([])
  })
})
