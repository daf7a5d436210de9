import * as z from 'zod'
import { listDeployments as list } from '../../shared/agents/queries/deployments.ts'
import { Deployment, deploymentOf } from '../../shared/agents/wire/deploy.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { cursor, label, pageSize } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isFullOfBytes } from '../../shared/kernel/page-bytes.ts'

export const listDeployments = endpoint({
  method: 'get',
  path: '/v1/agents/{agentId}/deployments',
  tag: 'Agents',
  operation_id: 'listDeployments',
  summary: "List an agent's deployments",
  description: 'Newest first. Environments are never shown.',
  auth: 'any',
  params: { agentId: 'agent' },
  query: z.strictObject({
    external_id: label(LIMITS.name_characters, 'Only those with this label of yours.').optional(),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.deployments_page),
  }),
  answers: { 200: { description: 'The deployments.', schema: z.array(Deployment), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, principal, params, query: { cursor, limit, ...filters }, reply }) {
    const { project_id } = await agentIn(ctx, principal, params.agentId)
    const { account_id } = principal
    const identity = { list: 'deployments', account_id, project_id, filters: { ...filters, ...params } }
    const read = ([before]: string[] = [], limit: number) =>
      list(
        ctx.db,
        { project_id, agent_id: params.agentId },
        {
          ...filters,
          limit,
          before_version: before === undefined ? undefined : Number(before),
        },
      )
    const page = await readPage(
      ctx,
      identity,
      { cursor, limit },
      read,
      row => [String(row.version)],
      isFullOfBytes,
    )
    setNextCursor(reply.headers, page)
    return page.rows.map(({ bytes: _, ...row }) => deploymentOf(row))
  },
})
