// The API dies around the commit of a fire: sending the fire again gives one run, whatever happened to the first.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterAll(() => stack?.close())
afterEach(async () => {
  await stack.endProcesses()
  await stack.startControl()
})

it.for(['submit.before_commit=kill', 'submit.after_commit=kill'])(
  'a fire sent again after %s with its X-Idempotency-Key is one run [triggers.idempotency]',
  { timeout: PATIENCE_MS },
  async fault => {
    const agentId = await stack.deploy()
    const trigger = await makeTrigger(agentId)
    await stack.endProcesses()
    await stack.startControl(fault)
    await expect(fire(trigger)).rejects.toThrow('fetch failed')
    expect(await stack.gone(stack.control)).toBe('SIGKILL')
    const committed = await runsOf(agentId)
    expect(committed).toHaveLength(fault.startsWith('submit.after') ? 1 : 0)

    await stack.startControl()
    await stack.startConsumer()
    const answers = await Promise.all(Array.from({ length: 10 }, () => fire(trigger)))
    const ids = new Set(answers.map(answer => answer.run_id))
    expect([...ids]).toEqual(await runsOf(agentId))
    expect(answers.filter(answer => !answer.duplicate)).toHaveLength(1 - committed.length)
    const [run] = [...ids] as [string]
    expect(await stack.finished(run)).toMatchObject({ status: 'completed', ok: 1 })
    expect(await stack.breaches(run)).toEqual([])
  },
)

interface Trigger {
  url: string
  secret: string
}

async function makeTrigger(agent_id: string): Promise<Trigger> {
  const response = await fetch(`${stack.base_url}/v1/triggers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id, name: 'fired' }),
  })
  expect(response.status).toBe(201)
  return (await response.json()) as Trigger
}

async function fire({ url, secret }: Trigger): Promise<{ run_id: string; duplicate: boolean }> {
  const response = await fetch(`${stack.base_url}${new URL(url).pathname}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-idempotency-key': 'the one',
    },
    body: '{"steps":0}',
  })
  expect(response.status).toBe(202)
  return response.json() as Promise<{ run_id: string; duplicate: boolean }>
}

async function runsOf(agentId: string): Promise<string[]> {
  const rows = await stack.sql<{ id: string }[]>`select id from runs where agent_id = ${agentId}`
  return rows.map(row => row.id)
}
