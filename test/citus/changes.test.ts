// Tests changes of agents and of a project's settings on every node: they are made and count at once.

import postgres from 'postgres'
import { afterAll, expect, inject, it } from 'vitest'
import { callerOf } from '../support/citus-projects.ts'
import { heldAgent } from '../support/held-agent.ts'
import { type MadeProject, makeProjects } from '../support/many-projects.ts'
import { type Stack, startStack } from '../support/stack.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many endpoints
  json: any
}

const senderOf = ({ base_url }: Stack, bearer: string) =>
  async function send(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
  }
type Send = ReturnType<typeof senderOf>

async function signIn(stack: Stack): Promise<Send> {
  const { status, json } = await senderOf(stack, '')('POST', '/v1/sessions', stack.account)
  expect(status).toBe(201)
  return senderOf(stack, json.access_token)
}

const PRICE = { model: 'a-model', input_per_mtok: 1, output_per_mtok: 2 }

/** Makes every change of a project once; returns the trigger that it made. */
async function changeAll(project: MadeProject, byKey: Send, bySession: Send, url: string) {
  const { id, agent_id } = project
  const change = async (send: Send, method: string, path: string, body?: unknown) => {
    const { status, json } = await send(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`)
    return json
  }
  const ofAgent = `/v1/agents/${agent_id}`
  const ofProject = `/v1/projects/${id}`
  const declaration = { name: 'plain', max_consecutive_failures: 1000, schedules: [{ cron: '0 3 1 1 *' }] }
  const order = { kind: 'url', url, protocol: 'ndjson', declaration }
  const deployed = await change(byKey, 'POST', `${ofAgent}/deployments`, order)
  const [, first] = (await byKey('GET', `${ofAgent}/deployments`)).json
  await change(byKey, 'POST', `${ofAgent}/deployments/${first.id}/promote`)
  await change(bySession, 'POST', `${ofAgent}/deployments/${deployed.id}/promote`)
  await change(bySession, 'PATCH', ofAgent, { name: 'renamed' })
  const made = await change(byKey, 'POST', '/v1/agents', { name: 'made' })
  const bundle = {
    kind: 'bundle',
    code: `export default { fetch() {} } // of ${id}`,
    declaration: { name: 'made' },
  }
  await change(byKey, 'POST', `/v1/agents/${made.id}/deployments`, bundle)
  await change(byKey, 'DELETE', `/v1/agents/${made.id}`)
  const trigger = await change(bySession, 'POST', '/v1/triggers', { agent_id, name: 'made' })
  await change(byKey, 'PATCH', `/v1/triggers/${trigger.id}`, { budget_cents: 100 })
  await change(byKey, 'POST', '/v1/schedules', { agent_id, cron: '0 2 1 1 *' })
  await change(byKey, 'POST', `${ofProject}/prices`, PRICE)
  await change(byKey, 'PATCH', `${ofProject}/alert-rules`, { rule: 'run_not_ok', enabled: true, agent_id })
  const channel = { url: 'https://example.com/alerts' }
  const { id: channel_id } = await change(byKey, 'POST', `${ofProject}/alert-channels`, channel)
  await change(byKey, 'POST', `${ofProject}/alert-channels/${channel_id}/test`)
  await change(byKey, 'DELETE', `${ofProject}/alert-channels/${channel_id}`)
  await change(bySession, 'POST', `${ofProject}/views`, { list: 'runs', name: 'made', query: '' })
  await change(bySession, 'POST', `${ofProject}/signing-secret/roll`)
  return trigger
}

async function readAll({ id, agent_id }: MadeProject, byKey: Send, bySession: Send) {
  const read = async (send: Send, path: string) => (await send('GET', path)).json
  return {
    name: (await read(byKey, `/v1/agents/${agent_id}`)).name,
    versions: (await read(byKey, `/v1/agents/${agent_id}/deployments`)).map(
      (one: { version: number; is_current: boolean }) => [one.version, one.is_current],
    ),
    triggers: (await read(byKey, '/v1/triggers')).triggers.length,
    schedules: (await read(byKey, '/v1/schedules')).map((one: { cron: string }) => one.cron).sort(),
    prices: (await read(byKey, `/v1/projects/${id}/prices`)).map((one: { model: string }) => one.model),
    views: (await read(bySession, `/v1/projects/${id}/views`)).length,
    isRolled: (await read(bySession, `/v1/projects/${id}/signing-secret`)).rolled_at !== null,
  }
}
const CHANGED = {
  name: 'renamed',
  versions: [
    [2, true],
    [1, false],
  ],
  triggers: 1,
  schedules: ['0 2 1 1 *', '0 3 1 1 *'],
  prices: ['a-model'],
  views: 1,
  isRolled: true,
}

it('projects on every node are deployed and changed, and their webhooks fire', async () => {
  const agent = parts.adopt(await heldAgent(), one => one.close())
  const stack = parts.adopt(await startStack(), one => one.close())
  const projects = await makeProjects(stack, 12, id => agent.urlOf(id))
  const bySession = await signIn(stack)
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1 }), one => one.end())
  await sql`update accounts set plan = ${sql.json({ open_runs: 100, bundles: 100, kept_bytes: 1e9 })}`
  const { submit, ended } = callerOf(() => stack.base_url)
  for (const node of inject('workers')) {
    const project = projects.find(({ port }) => port === node.port)!
    const byKey = senderOf(stack, project.api_key)
    const trigger = await changeAll(project, byKey, bySession, agent.urlOf('second'))
    expect(await readAll(project, byKey, bySession)).toEqual(CHANGED)
    expect(await ended(project, await submit(project, 3))).toMatchObject({ completed: 3 })
    const fired = await senderOf(stack, trigger.secret)('POST', new URL(trigger.url).pathname, { n: 1 })
    expect(fired.status).toBe(202)
    expect(await ended(project, fired.json.run_id)).toMatchObject({ completed: 1 })
    const unknown = await byKey('POST', '/v1/webhooks/whk_0000000000000000000000/trigger', {})
    expect(unknown.status).toBe(404)
  }
})
