// What the current deployment of an agent accepts as input.

import { ApiError } from '../../../shared/kernel/errors.ts'
import { sampleOf } from '../../../shared/kernel/sample.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import { sourceOrder } from './source-fields.tsx'
import { takesNull } from './takes-null.ts'

/** The input schema of the agent's current deployment; undefined where it declares none. */
export async function inputSchema(api: Client, { agent_id }: { agent_id: string }): Promise<unknown> {
  const params = { path: { agentId: agent_id } }
  const { data = [] } = await api.GET('/v1/agents/{agentId}/deployments', { params })
  return data.find(one => one.is_current)?.declaration.input_schema
}

/**
 * Refuses the default input, null, for an agent that does not accept it: each fire would be graded as failed.
 * @throws ApiError naming the field, where the agent's schema takes no null
 */
export async function checkInput(
  api: Client,
  agent_id: string,
  filled: { input: string } & Parameters<typeof sourceOrder>[0],
): Promise<void> {
  if (filled.input.trim() !== 'null' || sourceOrder(filled) !== null) return
  const schema = await inputSchema(api, { agent_id })
  if (takesNull(schema)) return
  const such = JSON.stringify(sampleOf(schema as Parameters<typeof sampleOf>[0]))
  throw new ApiError(
    'invalid_request',
    `Field "input": the agent takes no null; what it takes is such as ${such}.`,
    'Many items can be read from a source instead.',
  )
}
