// How long runs take, as it is reported: over the API, of rows as consumers and people write them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlainLimits } from '../../../shared/pacing/rules/named-limits.ts'
import { paceTurn, startPacing } from '../../../shared/pacing/rules/pacing.ts'
import { foreseeDeadlines } from '../../../shared/schedules/verbs/foresee.ts'
import { takeTurn } from '../../../shared/upstreams/queries/pacing.ts'
import { limitedUpstream, upstreamId } from '../../../shared/upstreams/rules/upstream.ts'
import { changeLimits } from '../../../shared/upstreams/verbs/set-limits.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { shut } from '../../support/upstreams.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(startNodeHost)
})
afterAll(() => world.end())

const items = (n: number) => Array.from({ length: n }, (_, i) => ({ input: i }))
const estimate = async (agent_id: string, query: string) =>
  (await world.call('GET', `/v1/agents/${agent_id}/estimate?${query}`)).json
const run = async (run_id: string) => (await world.call('GET', `/v2/runs/${run_id}`)).json

/** Another host for each agent: limits of one do not count for the others. */
let made = 0

/** An agent that is deployed, with a host of its own that it called, and a run of 100 items that ended. */
async function agentThatRan({ calls = 1, tokens = 400, seconds = 2, limits = [] as PlainLimits[] } = {}) {
  const { sql } = world.ctx
  const { project_id } = world.first
  const agent = await makeAgent(world)
  const host = `api-${++made}.example.com`
  const declaration = { name: 'a', ...(limits.length > 0 && { limits }) }
  const deployment = { kind: 'url', url: `http://127.0.0.1:9/${agent.slug}`, declaration }
  const { status } = await world.call('POST', `/v1/agents/${agent.id}/deployments`, { body: deployment })
  expect(status).toBe(201)
  const run_id = await makeRun(world, agent.id, items(100))
  await sql`
    update items set status = 'completed', outcome = 'ok', attempt = 1, started_at = now() - make_interval(secs => ${seconds}), completed_at = now()
    where run_id = ${run_id}`
  await sql`
    update runs set ok = 100, next_seq = 101, started_at = now(), finished_at = now(), model_calls = ${100 * calls},
      input_tokens = ${75 * tokens}, output_tokens = ${25 * tokens} where id = ${run_id}`
  const pacing = startPacing(Date.now() - 60_000)
  paceTurn(pacing, {
    now_ms: Date.now(),
    ended: 100,
    served: 100 * calls,
    tokens: 100 * tokens,
    wants: 0,
    ahead_ms: 0,
  })
  const id = world.ctx.newId()
  await shut(sql, { project_id, id, host, label: 'OPENAI_API_KEY', state: 'open', next_s: null })
  await sql`
    update upstreams set pacing = ${sql.json(pacing as never)},
      deployments = array(select id from deployments where agent_id = ${agent.id}) where id = ${id}`
  const limit = (limits: object) => changeLimits(world.ctx, { project_id, host, label: '' }, limits)
  return { ...agent, host, upstream_id: id, limit }
}

/** A consumer has counted 100 items by a limit that an agent declares. */
async function took(agent_id: string, limits: PlainLimits) {
  const { sql } = world.ctx
  const { project_id } = world.first
  const name = limitedUpstream(project_id, agent_id, limits)
  const deployments = (
    await sql<{ id: string }[]>`select id from deployments where agent_id = ${agent_id}`
  ).map(({ id }) => id)
  await takeTurn(
    sql,
    { ...name, id: upstreamId(name), label: limits.credential ?? null },
    {
      ended: 100,
      served: 100,
      tokens: 40_000,
      of_ended: { calls: 100, tokens: 40_000 },
      refused: 0,
      reports: [],
      wants: 0,
      ahead_ms: 400,
      deployments,
    },
  )
}

describe('the estimate of a run that is to start [agents.estimate]', () => {
  it('knows the limits that people set, and what an item of the agent asks', async () => {
    const { id, slug, host, limit } = await agentThatRan()
    await limit({ tokens: '200000/min' })
    expect(await estimate(id, 'items=50000')).toEqual({
      agent_slug: slug,
      deployment_version: 1,
      items: 50_000,
      estimate: {
        seconds: Math.round((50_000 * 400 * 60) / 200_000 / 0.985),
        ends_at: expect.stringMatching(/^\d{4}-.*Z$/),
        limited_by: 'limit',
        message: `about 1 h 41 min at 200,000 tokens a minute of ${host} (OPENAI_API_KEY)`,
      },
    })
  })

  it('knows the caps of the run, the agent and the project, and how long an item takes', async () => {
    const { id } = await agentThatRan()
    const { estimate: few } = await estimate(id, 'items=1000&concurrency=20')
    expect(few).toMatchObject({
      seconds: 100,
      limited_by: 'places',
      message: 'about 1 min 40 s at 20 items at once',
    })
    const { estimate: many } = await estimate(id, 'items=256000')
    expect(many.message).toBe('about 33 min 20 s at 256 items at once')
  })

  it('says why it is not known', async () => {
    const unused = await makeAgent(world)
    const unknown = async (id: string) => (await estimate(id, 'items=10')).estimate
    expect(await unknown(unused.id)).toEqual({
      seconds: null,
      ends_at: null,
      limited_by: null,
      message: 'not known: nothing is deployed for its agent yet',
    })
    const deployment = { kind: 'url', url: 'http://127.0.0.1:9/new', declaration: { name: 'a' } }
    await world.call('POST', `/v1/agents/${unused.id}/deployments`, { body: deployment })
    expect((await unknown(unused.id)).message).toBe('not known: no item of this agent has run yet')
    const { id, upstream_id, host } = await agentThatRan()
    await world.ctx
      .sql`update upstreams set state = 'away', words = 'connection refused' where id = ${upstream_id}`
    expect((await unknown(id)).message).toBe(
      `not known: Away: ${host} (OPENAI_API_KEY) serves nobody: connection refused.`,
    )
  })

  it('of a version that has called nothing yet is as for the one before', async () => {
    const { id, limit } = await agentThatRan()
    await limit({ requests: '60/min' })
    const deployment = { kind: 'url', url: 'http://127.0.0.1:9/next', declaration: { name: 'a' } }
    await world.call('POST', `/v1/agents/${id}/deployments`, { body: deployment })
    const found = await estimate(id, 'items=600')
    expect([found.deployment_version, found.estimate.seconds]).toEqual([2, Math.round(600 / 0.985)])
  })

  it('knows a limit for the address of an agent that nobody called yet under it', async () => {
    const { id, slug } = await agentThatRan()
    const { project_id } = world.first
    const host = `http://127.0.0.1:9/${slug}`
    await changeLimits(world.ctx, { project_id, host, label: '' }, { requests: '60/min' })
    expect((await estimate(id, 'items=600')).estimate.message).toBe(
      `about 10 min 9 s at 60 requests a minute of ${host}`,
    )
  })

  it('of a version that has called nothing yet knows limits for its address beside those of the one before', async () => {
    const { id, slug, limit } = await agentThatRan()
    await limit({ requests: '60/min' })
    const { project_id } = world.first
    const host = `http://127.0.0.1:9/${slug}/next`
    await changeLimits(world.ctx, { project_id, host, label: '' }, { requests: '600/min' })
    const body = { kind: 'url', url: `${host}?v=2`, declaration: { name: 'a' } }
    await world.call('POST', `/v1/agents/${id}/deployments`, { body })
    expect((await estimate(id, 'items=600')).estimate.seconds).toBe(Math.round(600 / 0.985))
    await limit({ requests: '6000/min' })
    expect((await estimate(id, 'items=600')).estimate.message).toBe(
      `about 1 min 1 s at 600 requests a minute of ${host}`,
    )
  })

  it.for([
    [{ host: 'api.own.test', requests: '60/min' }, 6091, '60 requests a minute of api.own.test'],
    [
      { host: 'api.own.test', credential: 'KEY', tokens: '20000/min' },
      7310,
      '20,000 tokens a minute of api.own.test (KEY)',
    ],
    [{ host: 'api.own.test', in_flight: 5 }, 2400, '5 in flight of api.own.test'],
    [
      { host: 'http://own.test/run', requests: '60/min' },
      6091,
      '60 requests a minute of http://own.test/run',
    ],
    // Of the first hour, what it called is gone.
    [
      { host: 'api.own.test', requests: '1000/h' },
      5 * 3600,
      '1,000 requests an hour of api.own.test',
      6 * 3600,
    ],
  ] as const)(
    'knows what the agent declares, before and after it called: %j',
    async ([declared, seconds, at, after = seconds]) => {
      const { id } = await agentThatRan({ limits: [declared] })
      const found = async () => (await estimate(id, 'items=6000')).estimate
      expect((await found()).message).toMatch(new RegExp(`at ${at.replace(/[()]/g, '\\$&')}$`))
      expect(Math.abs((await found()).seconds - seconds)).toBeLessThan(0.05 * seconds + 2)
      await took(id, declared)
      expect((await found()).message).toMatch(new RegExp(`at ${at.replace(/[()]/g, '\\$&')}$`))
      expect(Math.abs((await found()).seconds - after)).toBeLessThan(0.05 * after + 2)
    },
  )

  it('with a declared limit that was counted still knows the calls of the only credential', async () => {
    const declared = { host: 'api.lax.test', requests: '100000/min' }
    const { id, limit } = await agentThatRan({ limits: [declared] })
    await took(id, declared)
    await limit({ tokens: '200000/min' })
    await world.ctx.sql`update runs set input_tokens = 80000, output_tokens = 0 where agent_id = ${id}`
    expect((await estimate(id, 'items=6000')).estimate.seconds).toBe(
      Math.round((6000 * 800 * 60) / 200_000 / 0.985),
    )
  })

  it('leaves out what only an earlier version declared, and shares what both do', async () => {
    const { id, slug } = await agentThatRan({ limits: [{ host: 'api.old.test', requests: '60/min' }] })
    const deploy = (limits: PlainLimits[]) =>
      world.call('POST', `/v1/agents/${id}/deployments`, {
        body: { kind: 'url', url: `http://127.0.0.1:9/${slug}`, declaration: { name: 'a', limits } },
      })
    await makeRun(world, id, items(300))
    await deploy([{ host: 'api.old.test', requests: '60/min' }])
    await world.ctx
      .sql`update runs set deployment_id = (select id from deployments where agent_id = ${id} and version = 1)
      where agent_id = ${id} and finished_at is null`
    expect((await estimate(id, 'items=300')).estimate).toMatchObject({
      seconds: Math.round(600 / 0.985),
      message: expect.stringContaining('shared with another run'),
    })
    await deploy([{ host: 'api.old.test', requests: '6000/min' }])
    expect((await estimate(id, 'items=300')).estimate.seconds).toBeLessThan(10)
  })

  it('counts the calls of an agent whose calls no model answers', async () => {
    const { id, limit } = await agentThatRan({ calls: 2, tokens: 0 })
    await limit({ requests: '60/min' })
    await world.ctx.sql`update runs set model_calls = 0 where agent_id = ${id}`
    expect((await estimate(id, 'items=600')).estimate.seconds).toBe(Math.round(1200 / 0.985))
  })

  it('refuses what is no number of items', async () => {
    const { id } = await makeAgent(world)
    for (const query of ['', 'items=0', 'items=x', 'items=1.5', 'items=10&concurrency=0', 'items=10&more=1'])
      expect((await world.call('GET', `/v1/agents/${id}/estimate?${query}`)).status).toBe(400)
  })
})

describe('the estimate of an open run [runs.estimate]', () => {
  it('is of what is left, and shared with other runs that need the same', async () => {
    const { id, host, limit } = await agentThatRan()
    await limit({ requests: '60/min' })
    const run_id = await makeRun(world, id, items(60))
    const { sql } = world.ctx
    await sql`update runs set ok = 20, running = 10, next_seq = 31, model_calls = 20 where id = ${run_id}`
    const found = await run(run_id)
    expect(found.estimate).toMatchObject({
      seconds: Math.round(30 / 0.985),
      limited_by: 'limit',
      message: `about 30 s at 60 requests a minute of ${host} (OPENAI_API_KEY)`,
    })
    await makeRun(world, id, items(90))
    const { seconds, message } = (await run(run_id)).estimate
    expect(seconds).toBe(Math.round(60 / 0.985))
    expect(message).toBe(
      `about 1 min 1 s at 60 requests a minute of ${host} (OPENAI_API_KEY), shared with another run`,
    )
  })

  it('learns from its own items, once enough have ended', async () => {
    const { id, limit } = await agentThatRan({ tokens: 400 })
    await limit({ tokens: '60000/min' })
    const run_id = await makeRun(world, id, items(900))
    expect((await run(run_id)).estimate.seconds).toBe(Math.round((900 * 400) / 1000 / 0.985))
    await world.ctx
      .sql`update runs set ok = 300, next_seq = 301, model_calls = 300, input_tokens = 240000 where id = ${run_id}`
    expect((await run(run_id)).estimate.seconds).toBe(Math.round((600 * 800) / 1000 / 0.985))
  })

  it('of a replay learns from the replay alone: it asks only what was not recorded', async () => {
    const { id, limit } = await agentThatRan({ tokens: 400 })
    await limit({ tokens: '60000/min' })
    const run_id = await makeRun(world, id, items(900))
    await world.ctx.sql`
      update runs set replay_of = id, ok = 300, next_seq = 301, model_calls = 30, input_tokens = 12000 where id = ${run_id}`
    expect((await run(run_id)).estimate.seconds).toBe(Math.round((600 * 40) / 1000 / 0.985))
    await world.ctx.sql`update runs set cancelled = 600, finished_at = now() where id = ${run_id}`
    expect((await estimate(id, 'items=600')).estimate.seconds).toBe(Math.round((600 * 400) / 1000 / 0.985))
  })

  it('is left out once it has ended, and is not known while it waits for something outside', async () => {
    const { id, upstream_id } = await agentThatRan()
    const run_id = await makeRun(world, id, items(10))
    const { sql } = world.ctx
    await sql`update upstreams set state = 'out_of_credit', words = 'No credit left' where id = ${upstream_id}`
    await sql`update runs set waits_for = ${upstream_id}, waits_since = now() where id = ${run_id}`
    expect((await run(run_id)).estimate.message).toMatch(
      /^not known: Out of credit: .* says: No credit left\.$/,
    )
    await sql`update runs set waits_for = null, cancelled = 10, finished_at = now() where id = ${run_id}`
    expect(await run(run_id)).not.toHaveProperty('estimate')
  })
})

describe('limits that a schedule carries', () => {
  /** As an admin sets them. */
  const carry = (id: string, limits: PlainLimits[]) =>
    world.ctx.sql`update schedules set limits = ${world.ctx.sql.json(limits as never)} where id = ${id}`
  const scheduled = async (agent_id: string, limits: PlainLimits[], cron = '0 3 * * *') => {
    const source = { url: 'http://127.0.0.1:9/x', format: 'ndjson' }
    const body = { agent_id, cron, timezone: 'UTC', source }
    const { json: schedule, status } = await world.call('POST', '/v1/schedules', { body })
    expect(status).toBe(201)
    await carry(schedule.id, limits)
    const run_id = await makeRun(world, agent_id, items(900))
    const { project_id } = world.first
    await world.ctx.sql`
      insert into occurrences (project_id, schedule_id, scheduled_for, outcome, run_id)
      values (${project_id}, ${schedule.id}, now(), 'fired', ${run_id})`
    return { schedule, run_id }
  }
  const end = (run_id: string) =>
    world.ctx
      .sql`update runs set ok = 900, model_calls = 900, next_seq = 901, finished_at = now() where id = ${run_id}`

  it.for([
    ['its provider', (agent: { host: string }) => agent.host],
    ['its address', (agent: { slug: string }) => `http://127.0.0.1:9/${agent.slug}`],
  ] as const)(
    'stand in place of those of the project for %s while its run is at work',
    async ([, hostOf]) => {
      const agent = await agentThatRan()
      const host = hostOf(agent)
      const { run_id, schedule } = await scheduled(agent.id, [{ host, requests: '60/min' }])
      expect((await run(run_id)).estimate.seconds).toBe(Math.round(900 / 0.985))
      const { project_id } = world.first
      await changeLimits(world.ctx, { project_id, host, label: '' }, { requests: '1/min' })
      await carry(schedule.id, [{ host, requests: '600/min' }])
      expect((await run(run_id)).estimate.seconds).toBe(Math.round(90 / 0.985))
      const shown = (await world.call('GET', '/v1/upstreams')).json.find(
        (one: { host: string }) => one.host === host,
      )
      expect(shown).toMatchObject({
        items_per_minute: 591,
        declared_limits: [{ set_in: 'project' }, { set_in: 'schedule', id: schedule.id }],
      })
      await end(run_id)
      expect((await estimate(agent.id, 'items=60')).estimate.seconds).toBe(Math.round(3600 / 0.985))
    },
  )

  it('count for its next run, in the estimate and in the alert before a deadline, and those of others at work do not', async () => {
    const agent = await agentThatRan()
    const { host, id } = agent
    const { project_id } = world.first
    await changeLimits(world.ctx, { project_id, host, label: '' }, { requests: '600/min' })
    // Whatever time it is by PostgreSQL's clock, the run is to start before its deadline.
    const hour = (later: number) => new Date(Date.now() + later * 3_600_000).getUTCHours()
    const { schedule, run_id } = await scheduled(
      id,
      [{ host, credential: 'OPENAI_API_KEY', requests: '10/min' }],
      `0 ${hour(2)} * * *`,
    )
    await end(run_id)
    await scheduled(id, [{ host, requests: '1/min' }], `0 ${hour(4)} * * *`)
    const next = (await world.call('GET', `/v1/schedules/${schedule.id}`)).json
    expect(next.ending.estimate.seconds).toBe(Math.round(5400 / 0.985))
    const body = { schedule_id: schedule.id, finished_by: `${String(hour(3)).padStart(2, '0')}:00` }
    await world.call('POST', `/v1/projects/${project_id}/deadlines`, { body })
    const alerts = await foreseeDeadlines(world.ctx.sql)
    expect(JSON.stringify(alerts.filter(({ schedule_id }) => schedule_id === schedule.id))).toContain(
      `10 requests a minute of ${host} (OPENAI_API_KEY)`,
    )
  })
})

describe('the end of a run of a schedule [schedules.ending]', () => {
  it('is reported with its deadline, of the open run, else of the next with as many items', async () => {
    const { id: agent_id, limit } = await agentThatRan()
    await limit({ requests: '60/min' })
    const { sql } = world.ctx
    const order = {
      agent_id,
      cron: '0 3 * * *',
      timezone: 'UTC',
      source: { url: 'http://127.0.0.1:9/x', format: 'ndjson' },
    }
    const { json: schedule } = await world.call('POST', '/v1/schedules', { body: order })
    const read = async () => (await world.call('GET', `/v1/schedules/${schedule.id}`)).json
    expect(await read()).not.toHaveProperty('ending')
    const body = { schedule_id: schedule.id, finished_by: '04:00' }
    await world.call('POST', `/v1/projects/${world.first.project_id}/deadlines`, { body })
    const run_id = await makeRun(world, agent_id, items(90))
    const { project_id } = world.first
    await sql`
      insert into occurrences (project_id, schedule_id, scheduled_for, outcome, run_id)
      values (${project_id}, ${schedule.id}, '2026-03-02T03:00:00Z', 'fired', ${run_id})`
    const { ending } = await read()
    expect(ending).toMatchObject({
      run_id,
      starts_at: null,
      items: 90,
      deadline_at: '2026-03-02T04:00:00.000Z',
      estimate: { seconds: Math.round(90 / 0.985), limited_by: 'limit' },
    })
    await sql`update runs set ok = 90, model_calls = 90, finished_at = now() where id = ${run_id}`
    const { next_fires, ending: next } = await read()
    expect(next).toMatchObject({ run_id: null, starts_at: next_fires[0], items: 90 })
    const starts = Date.parse(next_fires[0])
    expect(Date.parse(next.deadline_at) - starts).toBe(3_600_000)
    expect(Math.abs(Date.parse(next.estimate.ends_at) - starts - 93_400)).toBeLessThan(1000)
  })
})
