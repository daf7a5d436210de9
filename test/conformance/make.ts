// Shorthands that make agents and runs for tests.

import { expect } from 'vitest'
import type { World } from './world.ts'

let made = 0

/** An agent with a slug of its own. */
export async function makeAgent(world: World, token?: string): Promise<{ id: string; slug: string }> {
  const slug = `agent-${++made}`
  const call = token === undefined ? {} : { token }
  const { status, json } = await world.call('POST', '/v1/agents', { ...call, body: { name: slug, slug } })
  expect(status).toBe(201)
  return json
}

/** A run over these items, each queued. */
export async function makeRun(
  world: World,
  agentId: string,
  items: object[],
  more: object = {},
): Promise<string> {
  const { status, json } = await world.call('POST', '/v1/batches', {
    body: { agent_id: agentId, items, ...more },
  })
  expect(status).toBe(202)
  return json.group_id
}
