import type { Client } from '../../../shared/sdk/client.ts'

/** The agents of a project, without their configurations: no page shows those of all, and they may be of any length. */
export const agentsOf = (api: Client, project_id: string, more: { activity?: 'true' } = {}) =>
  api.GET('/v1/agents', { params: { query: { project_id, config: 'false', ...more } } })
