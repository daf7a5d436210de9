import * as z from 'zod'
import { callWarnings } from '../../shared/agents/rules/call-warnings.ts'
import { deploy, planDeploy } from '../../shared/agents/verbs/deploy.ts'
import { loadBundle } from '../../shared/agents/verbs/load-bundle.ts'
import { Deployed, DryRun, deployedOf, dryRunOf } from '../../shared/agents/wire/deploy.ts'
import { DeployOrder } from '../../shared/agents/wire/deploy-order.ts'
import { timeWarnings } from '../../shared/claims/rules/consumer-time.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { findCallFacts } from '../../shared/prices/queries/call-facts.ts'
import { unpricedModels } from '../../shared/prices/verbs/prices.ts'

export const createDeployment = endpoint({
  method: 'post',
  path: '/v1/agents/{agentId}/deployments',
  tag: 'Agents',
  operation_id: 'createDeployment',
  summary: 'Deploy an agent',
  description:
    'Makes the content the current version; runs submitted from now on execute it. The same code, declaration and environment deployed again is the version it was, with the external_id it had. In the same transaction the schedules and triggers of the agent become what the declaration says; those that were made through the API and are not in it stay as they are. A bundle is loaded once as its items will run, without a network, within 10 s: one that does not load is refused, with the place in the code and the way out.',
  auth: 'any',
  shows_secret: true,
  atomic: true,
  params: { agentId: 'agent' },
  body_bytes: LIMITS.deployment_bytes,
  body: DeployOrder,
  answers: {
    201: { description: 'A new version.', schema: Deployed },
    200: {
      description:
        'The same content was a version already, and is the current one now; or a dry run, which did nothing.',
      schema: z.union([Deployed, DryRun]),
    },
  },
  errors: ['quota_exceeded', 'load_failed', 'load_timeout'],
  // Before the transaction, which would hold the agent's row and a connection while the bundle loads.
  async prepare(ctx, { principal, params, body }) {
    if (body.kind !== 'bundle') return []
    await agentIn(ctx, principal, params.agentId)
    const { code, env = {}, declaration } = body
    return loadBundle(ctx, { account_id: principal.account_id, name: declaration.name, code, env })
  },
  async handle({ ctx, principal, params, body, reply, prepared }) {
    const { project_id } = await agentIn(ctx, principal, params.agentId)
    const order = {
      project_id,
      agent_id: params.agentId,
      code: body.kind === 'bundle' ? ({ kind: 'bundle', text: body.code } as const) : body,
      declaration: body.declaration,
      env: body.env ?? {},
      external_id: body.external_id ?? null,
      code_version: body.kind === 'url' ? body.code_version : undefined,
    }
    const unpriced = await unpricedModels(ctx, order, body.declaration.models ?? [])
    const { consume_ms, base_url } = ctx.config
    const warnings = [
      ...prepared,
      ...timeWarnings(body, consume_ms, base_url),
      ...callWarnings({ ...body, seen: (await findCallFacts(ctx.sql, order)).seen }),
    ]
    if (body.dry_run) return { ...dryRunOf(await planDeploy(ctx, order)), unpriced, warnings }
    const deployed = await deploy(ctx, order)
    reply.status = deployed.created ? 201 : 200
    return { ...deployedOf(deployed), created: deployed.created, unpriced, warnings }
  },
})
