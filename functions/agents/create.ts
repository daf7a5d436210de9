import * as z from 'zod'
import { Agent, agentOf } from '../../shared/accounts/wire/account.ts'
import { findAgent } from '../../shared/agents/queries/agents.ts'
import { createAgent as create } from '../../shared/agents/verbs/agents.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { label, prose, slug, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const createAgent = endpoint({
  method: 'post',
  path: '/v1/agents',
  tag: 'Agents',
  operation_id: 'createAgent',
  summary: 'Create an agent',
  description:
    'Deploys no code: that comes before its first run. Without a slug, the name in lower case with dashes for spaces is it.',
  auth: 'any',
  atomic: true,
  body_bytes: LIMITS.configuration_bytes,
  body: z.strictObject({
    project_id: uuid("The owning project; a project key's own when absent.").optional(),
    name: label(LIMITS.name_characters, 'For people.'),
    slug: slug.optional(),
    description: prose(LIMITS.description_characters, 'What it does.').optional(),
  }),
  answers: { 201: { description: 'The agent.', schema: Agent } },
  errors: ['agent_slug_taken', 'quota_exceeded', 'not_found'],
  async handle({ ctx, principal, body }) {
    const { account_id, project_id } = await scopeOf(ctx, principal, body.project_id)
    if (project_id === null) throw new ApiError('invalid_request', 'Field "project_id" is missing.')
    const parsed = slug.safeParse(body.slug ?? body.name.toLowerCase().replaceAll(' ', '-'))
    if (!parsed.success)
      throw new ApiError('invalid_request', 'The name makes no slug.', 'Send a "slug" as well.')
    const { name, description = '' } = body
    const id = await create(ctx, { project_id, name, slug: parsed.data, description })
    return agentOf((await findAgent(ctx.db, account_id, id, project_id))!)
  },
})
