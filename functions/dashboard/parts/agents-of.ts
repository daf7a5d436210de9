import type { Client } from '../../../shared/sdk/client.ts'

/** Lists a project's agents without their configurations: no page shows those of all agents, and they may be long. */
export const agentsOf = (api: Client, project_id: string, more: { activity?: 'true' } = {}) =>
  api.GET('/v1/agents', { params: { query: { project_id, config: 'false', ...more } } })
