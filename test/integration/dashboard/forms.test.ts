// A form that is refused is shown again with what was typed, over plain HTTP.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ScheduleSettings, settingsOf } from '../../../shared/schedules/wire/schedules.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { deploy, fails, workOff } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { shut } from '../../support/upstreams.ts'

let world: World
let cookie: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const response = await send('/dashboard/sign-in', world.first.account)
  cookie = response.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => world.end())

const send = (path: string, form: Record<string, string>, more: Record<string, string> = {}) =>
  fetch(`${world.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', cookie: cookie ?? '', ...more },
    body: new URLSearchParams(form),
  })

async function refused(path: string, form: Record<string, string>): Promise<string> {
  const response = await send(path, form)
  const html = await response.text()
  expect([response.status, html.match(/role="alert"/g)?.length]).toEqual([400, 1])
  return html
}

it('a refused run form keeps its input, be it JSON or the fields of a schema', async () => {
  const agent = await makeAgent(world)
  const properties = { subject: { type: 'string' }, urgent: { type: 'boolean' } }
  await deploy(world, agent.id, { input_schema: { type: 'object', properties } })
  const more = { item_id: 'mine', budget_usd: 'a lot' }
  const json = await refused(`/dashboard/agents/${agent.id}/run`, { input: '{"a":<b>', ...more })
  expect(json).toContain('{&quot;a&quot;:&lt;b&gt;</textarea>')
  expect(json).toContain('value="mine"')
  expect(json).toContain('value="a lot"')
  const fields = { 'field:subject': 'on <fire>', 'field:urgent': 'on' }
  const html = await refused(`/dashboard/agents/${agent.id}/run`, { ...fields, ...more })
  expect(html).toContain('on &lt;fire&gt;</textarea>')
  expect(html).toMatch(/name="field:urgent" checked/)
})

it('a page that answers a form names the page of that form, which can be loaded and signed in to', async () => {
  const { project_id } = world.first
  const agent = await makeAgent(world)
  const project = `/dashboard/projects/${project_id}`
  const cases = [
    [`${project}/alert-channels`, `${project}/alerts`, `${project}/alerts`],
    [`${project}/deadlines`, `${project}/alerts`, `${project}/alerts`],
    [`${project}/keys`, `${project}/keys`, `${project}/keys`],
    [`${project}/triggers`, `${project}/triggers`, `${project}/triggers`],
    [`${project}/schedules`, `${project}/schedules/new?cron=a`, `${project}/schedules/new?cron=a`],
    [
      `/dashboard/agents/${agent.id}/run`,
      `/dashboard/agents/${agent.id}?as=json`,
      `/dashboard/agents/${agent.id}?as=json`,
    ],
    // Without a script the page above the address of an action is the nearest.
    [`${project}/schedules`, `${project}/schedules/preview`, `${project}/schedules`],
    [
      `/dashboard/agents/${agent.id}/run`,
      `/dashboard/agents/${agent.id}/run`,
      `/dashboard/agents/${agent.id}`,
    ],
    [`${project}/alert-channels`, `${project}/alert-channels`, project],
  ] as const
  for (const [action, from, page] of cases) {
    const headers = { referer: `${world.url}${from}` }
    const response = await send(action, { nonsense: '1' }, headers)
    const answered = /data-form-page="([^"]*)"/.exec(await response.text())?.[1]
    expect([action, answered?.replaceAll('&amp;', '&') ?? response.headers.get('location')]).toEqual([
      action,
      page,
    ])
    const ended = await send(action, {}, { ...headers, cookie: '' })
    const next = new URL(ended.headers.get('location')!, world.url).searchParams.get('next')
    expect([action, next]).toEqual([action, page])
    const loaded = await fetch(`${world.url}${page}`, { headers: { cookie } })
    expect([page, loaded.status]).toEqual([page, 200])
  }
})

it('a refused schedule form keeps all that was typed, and is sent by POST only', async () => {
  const agent = await makeAgent(world)
  const path = `/dashboard/projects/${world.first.project_id}/schedules`
  const order = { agent_id: agent.id, cron: '0 6 * * *', timezone: 'UTC', input: '{no}', budget_usd: '1.50' }
  const headers = 'Authorization: Bearer sesame'
  for (const form of [path, `${path}/preview`]) {
    const html = await refused(form, { ...order, source_url: 'https://example.com/x.csv', headers })
    expect(html).toContain('{no}</textarea>')
    expect(html).toContain('value="1.50"')
    expect(html).toContain(`${headers}</textarea>`)
    expect(html).toContain(`formaction="${path}/preview"`)
    expect(html).not.toMatch(/<form[^>]*method="get"[^>]*schedules/)
  }
})

/** Every setting of a schedule, each different from its default. */
const SETTINGS: Omit<ScheduleSettings, 'input' | 'source'> & { source: object } = {
  name: 'night',
  source: { url: 'https://example.com/x.csv', format: 'csv', item_id: 'id', partition_key: null },
  budget_cents: 150,
  allow_unpriced: true,
  pilot_items: 20,
  concurrency: 3,
  timeout_seconds: 60,
  patience_seconds: 7200,
  callback_url: 'https://example.com/done',
  results: { url: 'https://example.com/rows', format: 'ndjson' },
  limits: [
    { host: 'api.openai.com', credential: 'OPENAI_API_KEY', requests: '500/min' },
    { host: 'http://127.0.0.1:8097/run', in_flight: 20 },
  ],
  tags: ['acme', 'Ticket 7'],
}

it("a schedule's form has all its settings, changes none if saved untouched, and clears all if emptied [schedules.tags] [schedules.concurrency]", async () => {
  const unsaid = settingsOf({})
  expect([...Object.keys(SETTINGS), 'input'].sort()).toEqual(Object.keys(unsaid).sort())
  const agent = await makeAgent(world)
  const body = { agent_id: agent.id, cron: '0 6 * * *', timezone: 'Europe/Berlin', ...SETTINGS }
  const { json: session } = await world.call('POST', '/v1/sessions', {
    body: world.first.account,
    token: null,
  })
  const { json: made } = await world.call('POST', '/v1/schedules', { body, token: session.access_token })
  const path = `/dashboard/schedules/${made.id}`
  const asItIs = async () => (await world.call('GET', `/v1/schedules/${made.id}`)).json
  expect(await asItIs()).toMatchObject(SETTINGS)
  const html = await (await fetch(world.url + path, { headers: { cookie } })).text()
  expect(html).toMatch(/href="[^"]*runs\?tag=Ticket\+7"/)
  const form = fieldsOf(html, path)
  expect((await send(path, form)).status).toBe(303)
  expect(await asItIs()).toEqual({ ...made, updated_at: expect.any(String) })

  const { concurrency: _, timeout_seconds: __, patience_seconds: ___, ...older } = form
  await send(path, older)
  expect(await asItIs()).toMatchObject(SETTINGS)

  const kept = { cron: form.cron!, timezone: form.timezone!, input: '7' }
  const emptied = Object.fromEntries(Object.keys(form).map(name => [name, '']))
  delete emptied.allow_unpriced
  await send(path, { ...emptied, results_format: 'csv', ...kept })
  expect(await asItIs()).toMatchObject({ ...unsaid, input: 7 })
  for (const name of ['pilot_items', 'concurrency', 'timeout_seconds', 'patience_seconds'])
    for (const wrong of ['0', 'many'])
      expect(await refused(path, { ...form, [name]: wrong })).toContain(`wrong-${name}`)
})

it("a trigger's forms have all settings of its runs, and change none if saved untouched [triggers.settings]", async () => {
  const { name: _, source: __, results: ___, limits: ____, ...settings } = SETTINGS
  const agent = await makeAgent(world)
  const { tags, ...filled } = { ...settings, budget_cents: undefined, budget_usd: '1.50' }
  const form = { agent_id: agent.id, name: 'hook', scheme: 'bearer', items: 'on', tags: tags.join() }
  const texts = Object.entries({ ...filled, ...form }).filter(([, value]) => value !== undefined)
  const made = await send(
    `/dashboard/projects/${world.first.project_id}/triggers`,
    Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
  )
  expect(made.status).toBe(200)
  const path = `/v1/triggers?agent_id=${agent.id}`
  const asItIs = async () => (await world.call('GET', path)).json.triggers[0]
  const before = await asItIs()
  expect(before).toMatchObject({ ...settings, items: true })
  const page = `/dashboard/triggers/${before.id}`
  const html = await (await fetch(world.url + page, { headers: { cookie } })).text()
  const start = fieldsOf(html, `${page}/start`)
  expect((await send(`${page}/start`, start)).status).toBe(303)
  expect(await asItIs()).toEqual(before)
  await send(`${page}/start`, { ...start, budget_usd: '', tags: '', pilot_items: '' })
  expect(await asItIs()).toMatchObject({ budget_cents: null, tags: [], pilot_items: null, concurrency: 3 })
})

it('a refused form names all its faults at once, those that only the API finds included', async () => {
  const agent = await makeAgent(world)
  const project = `/dashboard/projects/${world.first.project_id}`
  const trigger = {
    name: 'no name',
    scheme: 'bearer',
    callback_url: 'nowhere',
    concurrency: '0',
    budget_usd: 'x',
  }
  const all = await refused(`${project}/triggers`, { agent_id: agent.id, ...trigger, tags: 'a'.repeat(500) })
  for (const name of ['name', 'callback_url', 'concurrency', 'budget_usd', 'tags'])
    expect([name, all.includes(`id="wrong-${name}"`)]).toEqual([name, true])
  expect((await world.call('GET', `/v1/triggers?agent_id=${agent.id}`)).json.triggers).toEqual([])

  const html = await (await fetch(`${world.url}${project}/settings`, { headers: { cookie } })).text()
  const wrong = {
    ...fieldsOf(html, `${project}/settings`),
    name: 'a'.repeat(500),
    timezone: 'Mars/Olympus',
    credit_usd: 'much',
    day_budget_cents: 'more',
    month_budget_cents: 'most',
    concurrency: 'many',
    open_runs: '0',
  }
  // An unticked box is not sent.
  delete (wrong as Record<string, string>).keys_may_mint
  const settings = await refused(`${project}/settings`, wrong)
  for (const name of Object.keys(wrong).filter(
    name => !/(?:_days|_second|partition_concurrency|mint)$/.test(name),
  ))
    expect([name, settings.includes(`id="wrong-${name}"`)]).toEqual([name, true])

  await deploy(world, agent.id)
  const run = await refused(`/dashboard/agents/${agent.id}/run`, {
    input: '{',
    item_id: 'i'.repeat(300),
    budget_usd: 'x',
  })
  for (const name of ['input', 'item_id', 'budget_usd'])
    expect([name, run.includes(`id="wrong-${name}"`)]).toEqual([name, true])

  const schedule = {
    agent_id: agent.id,
    cron: '61 * * * *',
    timezone: 'Mars/Olympus',
    input: '{',
    budget_usd: 'x',
  }
  const page = await refused(`${project}/schedules`, schedule)
  for (const name of ['cron', 'timezone', 'input', 'budget_usd'])
    expect([name, page.includes(`id="wrong-${name}"`)]).toEqual([name, true])
})

/** What a browser sends for an untouched form. */
function fieldsOf(html: string, action: string): Record<string, string> {
  const form = html
    .split('<form')
    .find(one => one.includes(`action="${action}"`) && /name="(cron|budget_usd|timezone)"/.test(one))!
  const own = form.slice(0, form.indexOf('</form>'))
  const text = (html: string) =>
    html
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const fields: Record<string, string> = {}
  for (const [, attributes] of own.matchAll(/<input ([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(attributes!)?.[1]
    if (name === undefined || (/type="checkbox"/.test(attributes!) && !/ checked/.test(attributes!))) continue
    fields[name] = text(/value="([^"]*)"/.exec(attributes!)?.[1] ?? '')
  }
  for (const [, name, value] of own.matchAll(/<textarea name="([^"]*)"[^>]*>([^<]*)</g))
    fields[name!] = text(value!)
  for (const [, name, options] of own.matchAll(/<select name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const [, attributes, label] =
      /<option([^>]* selected[^>]*)>([^<]*)/.exec(options!) ?? /<option([^>]*)>([^<]*)/.exec(options!)!
    fields[name!] = /value="([^"]*)"/.exec(attributes!)?.[1] ?? label!
  }
  return fields
}

it('the preview of a new schedule shows what its source holds, fetched with its headers', async () => {
  const agent = await makeAgent(world)
  const asked: (string | undefined)[] = []
  const source = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.end('id,text\nT-1,"a ""quoted"" row"\nT-2,another\n')
  })
  await once(source.listen(0, '127.0.0.1'), 'listening')
  const { port } = source.address() as AddressInfo
  const path = `/dashboard/projects/${world.first.project_id}/schedules/preview`
  const order = { agent_id: agent.id, cron: '0 6 * * *', timezone: 'UTC', input: 'null', budget_usd: '' }
  const read = { source_url: `http://127.0.0.1:${port}/day.csv`, item_id: 'id' }
  const response = await send(path, { ...order, ...read, headers: 'Authorization: Bearer sesame' })
  const html = await response.text()
  await deploy(world, agent.id, { input_schema: { type: 'object', required: ['subject'] } })
  const unfit = await (await send(path, { ...order, ...read })).text()
  expect(unfit).toContain('wants subject; the rows have id, text.')
  source.close()
  expect(response.status).toBe(200)
  expect(asked).toEqual(['Bearer sesame', undefined])
  expect(html).toContain('2 items')
  expect(html).toContain('T-2')
  expect(html).toContain('Authorization: Bearer sesame</textarea>')
})

it('a refused trigger form keeps the name, and no secret', async () => {
  const agent = await makeAgent(world)
  const order = { agent_id: agent.id, name: 'two words', scheme: 'stripe', signing_secret: 'whsec_mine' }
  const html = await refused(`/dashboard/projects/${world.first.project_id}/triggers`, order)
  expect(html).toContain('value="two words"')
  expect(html).not.toContain('whsec_mine')
})

it('a refused settings form keeps the other changes next to the wrong one', async () => {
  const { json: project } = await world.call('GET', `/v1/projects/${world.first.project_id}`)
  const numbers = ['concurrency', 'partition_concurrency', 'open_runs', 'requests_per_second']
  const days = ['step_retention_days', 'payload_retention_days', 'record_retention_days']
  const form = Object.fromEntries([...numbers, ...days].map(name => [name, '7']))
  const path = `/dashboard/projects/${project.id}/settings`
  const html = await refused(path, { ...form, name: 'renamed', credit_usd: 'much' })
  expect(html).toContain('value="renamed"')
  expect(html).toContain('value="much"')
  expect((await world.call('GET', `/v1/projects/${project.id}`)).json.name).toBe(project.name)
})

it('a refused form of limits keeps all that was typed, for a host and for one upstream', async () => {
  const { project_id } = world.first
  const list = `/dashboard/projects/${project_id}/upstreams`
  const typed = { requests: '60 rpm', tokens: '200000/min', in_flight: '20' }
  const named = { host: 'api.forms.test', label: 'MODEL_KEY' }
  const ofHost = await refused(list, { ...named, ...typed })
  for (const value of Object.values({ ...named, ...typed })) expect(ofHost).toContain(`value="${value}"`)
  expect(ofHost).toMatch(/id="wrong-requests">Must be a number and a unit, [^<]* write 60\/min\./)
  const id = world.ctx.newId()
  await shut(world.ctx.sql, { project_id, id })
  const ofOne = await refused(`${list}/${id}/limits`, { ...typed, scope: 'host' })
  for (const value of Object.values(typed)) expect(ofOne).toContain(`value="${value}"`)
  expect(ofOne).toMatch(/value="host" selected/)
  const none = { requests: '', tokens: '', in_flight: '' }
  expect(await refused(`${list}/${id}/limits`, none)).toContain('must set at least one of requests')
})

it('a form that meets a conflict says which, and not the faults of fields that it does not have', async () => {
  const { first } = world
  const member = { email: first.account.email, role: 'viewer', password: 'a long enough password' }
  const taken = await send('/dashboard/members', member)
  const said = decodeURIComponent(taken.headers.getSetCookie().join(' ')) + (await taken.text())
  expect(said).toContain('Somebody signs in with this e-mail already')
})

it('an item that is replayed twice at the same moment is answered twice without an error of ours', async () => {
  const agent = await makeAgent(world)
  await deploy(world, agent.id)
  const run_id = await makeRun(world, agent.id, [{ input: 1 }])
  await workOff(world, fails())
  const { json } = await world.call('GET', `/v2/runs/${run_id}/items`)
  const path = `/dashboard/items/${json[0].id}/replay`
  const answers = await Promise.all([send(path, {}), send(path, {}), send(path, {})])
  for (const { status } of answers) expect(status).toBeLessThan(500)
})
