// What becomes of a form that is refused: it is there again with what was typed, over plain HTTP.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent } from '../../conformance/make.ts'
import { deploy } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
let cookie: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const response = await send('/dashboard/sign-in', world.first.account)
  cookie = response.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => world.end())

const send = (path: string, form: Record<string, string>) =>
  fetch(`${world.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', cookie: cookie ?? '' },
    body: new URLSearchParams(form),
  })

async function refused(path: string, form: Record<string, string>): Promise<string> {
  const response = await send(path, form)
  const html = await response.text()
  expect([response.status, html.match(/role="alert"/g)?.length]).toEqual([400, 1])
  return html
}

it('a run by hand keeps its input, be it JSON or the fields of a schema', async () => {
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

it('a new schedule keeps all that was typed, and sends it by POST alone', async () => {
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

it('a schedule is made with tags, shows them, and keeps them when its form is saved [schedules.tags]', async () => {
  const agent = await makeAgent(world)
  const path = `/dashboard/projects/${world.first.project_id}/schedules`
  const order = { cron: '0 6 * * *', timezone: 'UTC', input: '{}', budget_usd: '' }
  const made = await send(path, { ...order, agent_id: agent.id, tags: 'acme, Ticket 7,, acme' })
  const at = made.headers.get('location')!.split('?')[0]!
  const tags = async () => {
    const { json } = await world.call('GET', `/v1/schedules?agent_id=${agent.id}`)
    return json[0].tags
  }
  expect(await tags()).toEqual(['acme', 'Ticket 7'])
  const html = await (await fetch(world.url + at, { headers: { cookie } })).text()
  expect(html).toMatch(/href="[^"]*runs\?tag=Ticket\+7"/)
  const typed = /name="tags" value="([^"]*)"/.exec(html)![1]!
  await send(at, { ...order, tags: typed })
  expect(await tags()).toEqual(['acme', 'Ticket 7'])
  await send(at, { ...order, tags: '' })
  expect(await tags()).toEqual([])
})

it('a schedule is made with a bound on items at work at once, and keeps it when its form is saved [schedules.concurrency]', async () => {
  const agent = await makeAgent(world)
  const path = `/dashboard/projects/${world.first.project_id}/schedules`
  const order = { cron: '0 6 * * *', timezone: 'UTC', input: '{}', budget_usd: '' }
  const made = await send(path, { ...order, agent_id: agent.id, concurrency: '3' })
  const at = made.headers.get('location')!.split('?')[0]!
  const bound = async () => {
    const { json } = await world.call('GET', `/v1/schedules?agent_id=${agent.id}`)
    return json[0].concurrency
  }
  expect(await bound()).toBe(3)
  const html = await (await fetch(world.url + at, { headers: { cookie } })).text()
  const typed = /name="concurrency"[^>]* value="([^"]*)"/.exec(html)![1]!
  await send(at, { ...order, concurrency: typed })
  expect(await bound()).toBe(3)
  expect(await refused(at, { ...order, concurrency: '0' })).toContain('wrong-concurrency')
  await send(at, { ...order, concurrency: '' })
  expect(await bound()).toBeNull()
})

it('a new schedule shows when it fires and what its source holds, asked with its headers', async () => {
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
  source.close()
  expect(response.status).toBe(200)
  expect(asked).toEqual(['Bearer sesame'])
  expect(html).toContain('2 items')
  expect(html).toContain('T-2')
  expect(html).toContain('Authorization: Bearer sesame</textarea>')
})

it('a new trigger keeps its name, and no secret', async () => {
  const agent = await makeAgent(world)
  const order = { agent_id: agent.id, name: 'two words', scheme: 'stripe', signing_secret: 'whsec_mine' }
  const html = await refused(`/dashboard/projects/${world.first.project_id}/triggers`, order)
  expect(html).toContain('value="two words"')
  expect(html).not.toContain('whsec_mine')
})

it('settings keep what was changed beside what is wrong', async () => {
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
