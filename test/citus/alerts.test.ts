// Tests alerts and digests while a node is down, and those of the projects on it after it is back.

import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, expect, inject, it } from 'vitest'
import { killNode, startNode } from '../support/citus-nodes.ts'
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

it('sends alerts and digests of reachable projects while a node is down, and those of its projects after it is back', async () => {
  const env = { ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.0/8' }
  const stack = parts.adopt(await startStack({ env }), one => one.close())
  const agent = await failingAgent()
  const receiver = parts.adopt(await startReceiver(), one => one.close())
  const node = inject('workers')[1]!
  parts.defer(() => startNode(node).catch(() => {}))
  const projects = await makeProjects(stack, 12, () => agent.url)
  const far = projects.find(({ port }) => port === node.port)!
  const near = projects.find(({ port }) => port !== node.port)!
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1 }), one => one.end())
  for (const { id } of [far, near]) {
    const channel = { id: randomUUID(), project_id: id, url: `${receiver.url}/${id}`, digest: 'all' }
    await sql`insert into alert_channels ${sql(channel)}`
  }
  const told = (project_id: string) =>
    receiver.received
      .filter(({ path }) => path.endsWith(project_id))
      .map(({ body }) => JSON.parse(body).type)
      .sort()
  const { submit, ended } = callerOf(() => stack.base_url)

  const ofFar = await submit(far, ITEMS)
  await ended(far, ofFar)
  await killNode(node)
  // The first request may be refused at the moment the node goes down.
  const ofNear = await submit(near, ITEMS).catch(() => submit(near, ITEMS))
  expect(await ended(near, ofNear)).toMatchObject({ failed: ITEMS })
  await eventually(() => expect(told(near.id)).toEqual(['alert.raised', 'run.digest']))

  await startNode(node)
  await eventually(() => expect(told(far.id)).toEqual(['alert.raised', 'run.digest']))
  expect(told(near.id)).toEqual(['alert.raised', 'run.digest'])
})
