// Tests alerts and digests of projects on different nodes.

import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, expect, inject, it } from 'vitest'
import { callerOf } from '../support/citus-projects.ts'
import { eventually } from '../support/eventually.ts'
import { makeProjects } from '../support/many-projects.ts'
import { startReceiver } from '../support/receiver.ts'
import { startStack } from '../support/stack.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

const ITEMS = 20
const STEP = {
  key: 'call',
  kind: 'llm_call',
  name: 'call',
  model: 'a-model',
  output: 'yes',
  usage: { input_tokens: 10, output_tokens: 1 },
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1,
}

/** Answers each item with an error, and every other item with a step before the error. */
async function failingAgent() {
  const agent = parts.adopt(await startReceiver(), one => one.close())
  agent.answer = response => {
    const lines = agent.received
      .at(-1)!
      .body.split('\n')
      .filter(line => line !== '')
    const answers = lines.flatMap(line => {
      const { seq, attempt } = JSON.parse(line)
      const error = { code: 'upstream_down', message: 'it answered 503' }
      const failed = { type: 'error', seq, attempt, error }
      return seq % 2 === 0 ? [failed] : [{ type: 'step', seq, attempt, step: STEP }, failed]
    })
    response.setHeader('content-type', 'application/x-ndjson')
    response.end(answers.map(answer => `${JSON.stringify(answer)}\n`).join(''))
  }
  return agent
}

it('sends the alerts and digests of projects on every node, each once', async () => {
  const env = { ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.0/8' }
  const stack = parts.adopt(await startStack({ env }), one => one.close())
  const agent = await failingAgent()
  const receiver = parts.adopt(await startReceiver(), one => one.close())
  const projects = await makeProjects(stack, 12, () => agent.url)
  const onEach = inject('workers').map(node => projects.find(({ port }) => port === node.port)!)
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1 }), one => one.end())
  for (const { id } of onEach) {
    const channel = { id: randomUUID(), project_id: id, url: `${receiver.url}/${id}`, digest: 'all' }
    await sql`insert into alert_channels ${sql(channel)}`
  }
  const sent = (project_id: string) =>
    receiver.received
      .filter(({ path }) => path.endsWith(project_id))
      .map(({ body }) => JSON.parse(body).type)
      .sort()
  const { submit, ended } = callerOf(() => stack.base_url)

  for (const project of onEach)
    expect(await ended(project, await submit(project, ITEMS))).toMatchObject({ failed: ITEMS })
  for (const { id } of onEach)
    await eventually(() => expect(sent(id)).toEqual(['alert.raised', 'run.digest']))
})
