// What people see of upstreams over the API, of rows as consumers write them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { eventually } from '../../support/eventually.ts'
import { letWait, shut } from '../../support/upstreams.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(startNodeHost)
})
afterAll(() => world.end())

const ITEMS = [{ input: 1 }, { input: 2 }, { input: 3 }]
const record = (run_id: string, seq: number) => `${run_id.slice(0, 28)}${String(seq).padStart(8, '0')}`
const why = async (run_id: string, seq: number) =>
  (await world.call('GET', `/v1/durable/runs/${record(run_id, seq)}/why`)).json

async function signedIn(): Promise<string> {
  const response = await fetch(`${world.url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ ...world.first.account }),
  })
  return response.headers.getSetCookie()[0]!.split(';')[0]!
}

/** A run of three items, of which two wait for an upstream as given. */
async function waiting(given: Partial<Parameters<typeof shut>[1]> = {}) {
  const { project_id } = world.first
  const upstream_id = world.ctx.newId()
  const run_id = await makeRun(world, (await makeAgent(world)).id, ITEMS)
  await shut(world.ctx.sql, { project_id, id: upstream_id, ...given })
  await letWait(world.ctx.sql, { project_id, run_id }, upstream_id, 2)
  return { upstream_id, run_id }
}

describe('the list of upstreams', () => {
  it('tells state, reason, next try, and what waits, those first that are not open, and no hash of a credential [upstreams.list]', async () => {
    const { project_id } = world.first
    await shut(world.ctx.sql, {
      project_id,
      id: world.ctx.newId(),
      host: 'open.example.com',
      state: 'open',
      since_s: 1,
      next_s: null,
    })
    const { upstream_id, run_id } = await waiting({ since_s: 90 })
    const { status, json, text } = await world.call('GET', `/v1/upstreams?project_id=${project_id}`)
    expect(status).toBe(200)
    expect(json.at(-1)).toMatchObject({ host: 'open.example.com', state: 'open', opening: false })
    const found = json.find(({ id }: { id: string }) => id === upstream_id)
    expect(found).toMatchObject({
      kind: 'credential',
      host: 'api.example.com',
      label: 'MODEL_KEY',
      model: null,
      deployment_id: null,
      state: 'out_of_credit',
      opening: false,
      reason: 'You exceeded your current quota',
      status: 429,
      probes: 2,
      waiting_items: 2,
      runs: [run_id],
    })
    expect(Date.parse(found.next_at)).toBeGreaterThan(Date.parse(found.since))
    expect(text).not.toContain('"key"')
    const others = await world.call('GET', '/v1/upstreams', { token: world.stranger.key })
    expect(others.json).toEqual([])
    expect((await world.call('GET', `/v1/upstreams?project_id=${world.stranger.project_id}`)).status).toBe(
      404,
    )
  })

  it('says which ones are opening', async () => {
    const { upstream_id } = await waiting({ state: 'open', pace: 8 })
    const { json } = await world.call('GET', '/v1/upstreams')
    const found = json.find(({ id }: { id: string }) => id === upstream_id)
    expect(found).toMatchObject({ state: 'open', opening: true })
  })
})

describe('a try by hand', () => {
  it('is due at once, is logged, and leaves what others have alone [upstreams.retry]', async () => {
    const { upstream_id } = await waiting()
    const path = `/v1/upstreams/${upstream_id}/retry`
    expect((await world.call('POST', path, { token: world.stranger.key })).status).toBe(404)
    expect((await world.call('POST', path, { token: world.sibling.key })).status).toBe(403)
    const { status, json } = await world.call('POST', path)
    expect([status, json.id]).toEqual([202, upstream_id])
    expect(Date.parse(json.next_at)).toBeLessThanOrEqual(Date.now() + 5000)
    // It is written beside the answer.
    await eventually(async () => {
      const entries = await world.ctx.sql`
        select project_id from audit_log where action = 'retryUpstream' and target_id = ${upstream_id}`
      expect(entries).toEqual([{ project_id: world.first.project_id }])
    })
  })

  it('of one that is opening, or of none, changes nothing', async () => {
    const { upstream_id } = await waiting({ state: 'open', pace: 8 })
    const { json } = await world.call('POST', `/v1/upstreams/${upstream_id}/retry`)
    expect(json).toMatchObject({ state: 'open', opening: true })
    expect((await world.call('POST', `/v1/upstreams/${world.ctx.newId()}/retry`)).status).toBe(404)
  })
})

describe('what waits for an upstream', () => {
  it('says so with the words of whoever refused: the items, fresh ones too, the run and the queue [items.why-upstream]', async () => {
    const { upstream_id, run_id } = await waiting({ next_s: 3000 })
    const stopped = await why(run_id, 1)
    expect(stopped).toMatchObject({ token: 'upstream', due_at: null })
    expect(stopped.message).toMatch(
      /^Out of credit: api\.example\.com \(MODEL_KEY\) says: You exceeded your current quota\. It is tried again in (49 min \d+ s|50 min); the item waits until it serves, for at most 23 h 59 min\.$/,
    )
    expect(await why(run_id, 3)).toMatchObject({ token: 'upstream', message: stopped.message })
    const { json: run } = await world.call('GET', `/v2/runs/${run_id}`)
    expect(run.waits_for).toMatchObject({
      upstream_id,
      host: 'api.example.com',
      label: 'MODEL_KEY',
      state: 'out_of_credit',
      reason: 'You exceeded your current quota',
    })
    const { json: queue } = await world.call('GET', `/v1/projects/${world.first.project_id}/queue`)
    expect(queue.upstream_waits).toBeGreaterThanOrEqual(2)
    expect(queue.next_retries.filter((one: { run_id: string }) => one.run_id === run_id)).toEqual([])
    const listed = queue.waiting_runs.find(({ id }: { id: string }) => id === run_id)
    expect(listed).toMatchObject({ token: 'upstream', queued: 3 })
    expect(listed.message).toContain('the run waits until it serves')
    const { json: runs } = await world.call('GET', '/v2/runs?state=open')
    expect(runs.find(({ id }: { id: string }) => id === run_id).waits_for.upstream_id).toBe(upstream_id)
  })

  it('shows it on the page of the run and in the list of runs, and its reason cannot be markup', async () => {
    const { run_id } = await waiting({ words: 'No <b>credit</b>' })
    const cookie = await signedIn()
    const read = async (path: string) => (await fetch(world.url + path, { headers: { cookie } })).text()
    const page = await read(`/dashboard/runs/${run_id}`)
    expect(page).toContain(
      'Out of credit: api.example.com (MODEL_KEY) says: No &lt;b&gt;credit&lt;/b&gt;. So since 1 min',
    )
    expect(page).toContain('waits, out of credit')
    expect(await read(`/dashboard/projects/${world.first.project_id}/runs`)).toContain('waits, out of credit')
  })

  it('has a page on which somebody tries one now [upstreams.retry]', async () => {
    const { upstream_id, run_id } = await waiting({ host: 'page.example.com' })
    const cookie = await signedIn()
    const path = `/dashboard/projects/${world.first.project_id}/upstreams`
    const html = await (await fetch(world.url + path, { headers: { cookie } })).text()
    for (const shown of ['page.example.com (MODEL_KEY)', 'out of credit', run_id.slice(0, 8)])
      expect(html).toContain(shown)
    const action = `${path}/${upstream_id}/retry`
    expect(html).toContain(`action="${action}"`)
    const headers = { 'sec-fetch-site': 'same-origin', cookie }
    const tried = await fetch(world.url + action, { method: 'POST', redirect: 'manual', headers })
    expect([tried.status, tried.headers.get('location')]).toEqual([303, expect.stringContaining(path)])
    const [row] = await world.ctx
      .sql`select next_at <= now() + interval '1 minute' as soon from upstreams where id = ${upstream_id}`
    expect(row!.soon).toBe(true)
  })

  it('has as many upstreams on a page as fit, and links the next ones', async () => {
    const { project_id } = world.sibling
    for (let n = 0; n < 30; n++)
      await shut(world.ctx.sql, { project_id, id: world.ctx.newId(), host: `h${n}.example.com` })
    const cookie = await signedIn()
    const path = `/dashboard/projects/${project_id}/upstreams`
    const read = async (query: string) =>
      (await fetch(world.url + path + query, { headers: { cookie } })).text()
    const hosts = (html: string) => [...html.matchAll(/<bdi>(h\d+)\.example/g)].map(([, host]) => host)
    const [first, second] = [await read(''), await read('?cursor=25')]
    expect([hosts(first).length, hosts(second).length]).toEqual([25, 5])
    expect(new Set([...hosts(first), ...hosts(second)]).size).toBe(30)
    expect(first).toContain(`href="${path}?cursor=25" rel="next"`)
    expect(second).toContain('To the first page')
    expect(second).not.toContain('rel="next"')
  })

  it.each([
    ['cooling', 'Cooling: api.example.com (MODEL_KEY) asks for less: '],
    ['away', 'Away: api.example.com (MODEL_KEY) serves nobody: '],
    ['refused', 'Refused: api.example.com (MODEL_KEY) refuses the credential: '],
  ] as const)('is told in words when the upstream is %s', async (state, begin) => {
    const { run_id } = await waiting({ state })
    expect((await why(run_id, 1)).message.startsWith(begin)).toBe(true)
  })

  it('is told that the upstream is opening, and that it serves again', async () => {
    const opening = await waiting({ state: 'open', pace: 4 })
    expect((await why(opening.run_id, 2)).message).toContain(
      'serves again, and what waited for it is let through',
    )
  })

  it('waits for nothing once its run is cancelled', async () => {
    const { run_id } = await waiting()
    await world.call('POST', `/v2/runs/${run_id}/cancel`, { body: {} })
    const { json } = await world.call('GET', `/v2/runs/${run_id}`)
    expect(json.waits_for).toBeNull()
  })

  it('ends without being sent when the patience of its run is over', async () => {
    const run_id = await makeRun(world, (await makeAgent(world)).id, ITEMS)
    const said = 'api.example.com was away for longer than the run waits: down'
    await world.ctx.sql`update runs set unavailable = ${said} where id = ${run_id}`
    expect(await why(run_id, 1)).toMatchObject({
      token: 'upstream',
      message: `It ends without being sent: ${said}`,
    })
  })
})

describe('the patience of a run', () => {
  it('is set with its submission and bounds how long it waits, and is refused beyond a minute to 30 days [runs.patience]', async () => {
    const agent = await makeAgent(world)
    const run_id = await makeRun(world, agent.id, ITEMS, { patience_seconds: 7200 })
    const { json } = await world.call('GET', `/v2/runs/${run_id}`)
    expect(json.patience_seconds).toBe(7200)
    const upstream_id = world.ctx.newId()
    const { project_id } = world.first
    await shut(world.ctx.sql, { project_id, id: upstream_id })
    await letWait(world.ctx.sql, { project_id, run_id }, upstream_id, 1)
    await world.ctx.sql`update runs set waited_ms = 3600000 where id = ${run_id}`
    expect((await why(run_id, 1)).message).toMatch(/for at most (59 min \d+ s|1 h)\.$/)
    const lines = await world.call('POST', `/v1/batches?agent_id=${agent.id}&patience_seconds=60`, {
      raw: '{"input":1}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect(lines.status).toBe(202)
    for (const patience_seconds of [59, 2_592_001, 60.5, '1h', null]) {
      const refused = await world.call('POST', '/v1/batches', {
        body: { agent_id: agent.id, items: ITEMS, patience_seconds },
      })
      expect([refused.status, refused.json.error.message]).toEqual([
        400,
        expect.stringContaining('patience_seconds'),
      ])
    }
  })

  it('is given to each run that a schedule starts', async () => {
    const agent = await makeAgent(world)
    const { json: schedule } = await world.call('POST', '/v1/schedules', {
      body: { agent_id: agent.id, cron: '0 3 1 1 *', patience_seconds: 3600 },
    })
    expect(schedule.patience_seconds).toBe(3600)
    const started = await world.call('POST', `/v1/schedules/${schedule.id}/trigger`, { body: {} })
    const { json: run } = await world.call('GET', `/v2/runs/${started.json.run_id}`)
    expect(run.patience_seconds).toBe(3600)
    const changed = await world.call('PATCH', `/v1/schedules/${schedule.id}`, {
      body: { patience_seconds: null },
    })
    expect(changed.json.patience_seconds).toBeNull()
  })
})
