// Deploys agents. Guarantee: a deployment never changes; the same content deployed again is the same version; the
// current deployment, its schedules and its triggers change together; the environment is readable only with the master
// key.

import { agentKeyOf } from '../../accounts/verbs/agent-keys.ts'
import { openEnv, sealEnv } from '../../accounts/verbs/sealing.ts'
import type { Context, Database } from '../../context.ts'
import { DEFAULT_CHECKS } from '../../grading/rules/checks.ts'
import { canonicalJson } from '../../json/canonical.ts'
import { ApiError, type ApiErrorCode } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sha256, toHex } from '../../kernel/secrets.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'
import { keepBytes } from '../../quotas/verbs/kept-bytes.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import { readSchema } from '../../schemas/rules/declared-schema.ts'
import { SCHEMAS, type SchemaName } from '../../schemas/vocabulary.ts'
import { variablesOf } from '../../sources/rules/declared-source.ts'
import { addCodeVersions } from '../queries/code-versions.ts'
import * as store from '../queries/deployments.ts'
import { codeVersionOf } from '../rules/code-version.ts'
import { type Content, contentChanges } from '../rules/deploy-plan.ts'
import type { AgentProtocol } from '../vocabulary.ts'
import type { DeploymentRow } from '../wire/deploy.ts'
import { type Automation, planAutomation, reconcile, type Undeclared } from './reconcile.ts'

export interface DeployOrder extends AgentKey {
  /** What runs: code that Assay runs itself, or an HTTP function somewhere. */
  code: { kind: 'bundle'; text: string } | { kind: 'url'; url: string; protocol: AgentProtocol }
  declaration: AgentDeclaration
  env: Record<string, string>
  external_id: string | null
  /** The version of the code at the URL now. */
  code_version?: string | undefined
}

/** The current deployment, and what changed in the agent's schedules and triggers. */
export interface Deployed {
  deployment: DeploymentRow
  automation: Automation
  /** The key with which the function at the URL checks requests; null for a bundle. */
  agent_key: string | null
}

/** What a deploy would do. */
export interface DeployPlan {
  version: number
  /** False if a version with this content exists already. */
  created: boolean
  current_version: number | null
  changes: string[]
  automation: Automation
}

/**
 * Makes this content the agent's current deployment; `created` is false when it already was a version.
 *
 * @throws ApiError `quota_exceeded`
 */
export async function deploy(ctx: Context, order: DeployOrder): Promise<Deployed & { created: boolean }> {
  const given = await contentOf(ctx, order)
  return underLock(ctx, order, async ctx => {
    const same = await findSame(ctx, given, order.env)
    if (same === undefined) await addVersion(ctx, order, given)
    const deployed = await makeCurrent(ctx, order, same?.id ?? given.id, 'deleted')
    const version = codeVersionOf(order.code_version ?? '')
    if (version !== null)
      await addCodeVersions(ctx.db, { ...order, deployment_id: deployed.deployment.id }, [version])
    return { ...deployed, created: same === undefined }
  })
}

async function addVersion(ctx: Context, { code }: DeployOrder, given: store.NewDeployment): Promise<void> {
  if (code.kind === 'url') return store.insertDeployment(ctx.db, given)
  await withinQuota(ctx, { project_id: given.project_id }, 'bundles', async ctx => {
    const isNew = await store.insertBundle(ctx.db, { hash: given.bundle_hash!, code: code.text })
    if (isNew)
      await keepBytes(ctx, { project_id: given.project_id }, new TextEncoder().encode(code.text).length)
    await store.insertDeployment(ctx.db, given)
  })
}

/** Returns what deploying it would do, and changes nothing. */
export async function planDeploy(ctx: Context, order: DeployOrder): Promise<DeployPlan> {
  const given = await contentOf(ctx, order)
  return underLock(ctx, order, async ctx => {
    const same = await findSame(ctx, given, order.env)
    const version = same?.version ?? (await store.findNextVersion(ctx.db, order))
    const content = { ...given, env: order.env, default_checks: (same ?? given).default_checks }
    const plan = await compare(ctx, order, content, 'deleted')
    return { ...plan, version, created: same === undefined }
  })
}

/**
 * Makes an older deployment current again, with the schedules and triggers that it declares. A trigger that it does not
 * declare is kept: a rollback must not cost a URL and a secret that cannot be restored.
 *
 * @throws ApiError `not_found`
 */
export function promote(ctx: Context, agent: AgentKey, deployment_id: string): Promise<Deployed> {
  return underLock(ctx, agent, async ctx => {
    await findKnown(ctx, agent, deployment_id)
    return makeCurrent(ctx, agent, deployment_id, 'kept')
  })
}

/** Returns what promoting it would do, and changes nothing. @throws ApiError `not_found` */
export function planPromotion(ctx: Context, agent: AgentKey, deployment_id: string): Promise<DeployPlan> {
  return underLock(ctx, agent, async ctx => {
    const known = await findKnown(ctx, agent, deployment_id)
    const after = { ...known, env: await openEnv(ctx, known.project_id, known) }
    return { ...(await compare(ctx, known, after, 'kept')), version: known.version, created: false }
  })
}

/** Runs one deploy of an agent at a time, in a transaction: two deploys end as if one had followed the other. */
async function underLock<T>(
  ctx: Context,
  agent: AgentKey,
  work: (ctx: Context) => Promise<T>,
  tries: number = LIMITS.deploy_tries,
): Promise<T> {
  try {
    return await ctx.db.transaction(async tx => {
      const db = tx as unknown as Database
      await store.lockAgent(db, agent)
      return work({ ...ctx, db })
    })
  } catch (error) {
    // Created through the API since the deploy read its state; the retry finds it and takes it over.
    const isTaken = error instanceof ApiError && TAKEN.has(error.code)
    if (isTaken && tries > 1) return underLock(ctx, agent, work, tries - 1)
    throw error
  }
}

const TAKEN = new Set<ApiErrorCode>(['schedule_cron_taken', 'trigger_name_taken'])

async function makeCurrent(
  ctx: Context,
  agent: AgentKey,
  id: string,
  undeclared: Undeclared,
): Promise<Deployed> {
  const before = (await store.findCurrentDeployment(ctx.db, agent))?.declaration
  await store.setCurrentDeployment(ctx.db, agent, id)
  const deployment = (await store.findDeployment(ctx.db, agent, id))!
  const automation = await reconcile(ctx, { ...deployment, before }, undeclared)
  await store.giveValues(ctx.db, deployment)
  await fault('deploy.before_commit')
  return { deployment, automation, agent_key: await agentKeyOf(ctx, deployment) }
}

async function compare(
  ctx: Context,
  { project_id, agent_id }: AgentKey,
  after: Content,
  undeclared: Undeclared,
) {
  const current = await store.findCurrentDeployment(ctx.db, { project_id, agent_id })
  const before = current && { ...current, env: await openEnv(ctx, project_id, current) }
  return {
    current_version: current?.version ?? null,
    changes: before === undefined ? ['everything'] : contentChanges(before, after),
    automation: await planAutomation(
      ctx,
      { project_id, agent_id, declaration: after.declaration, before: current?.declaration },
      undeclared,
    ),
  }
}

async function findKnown(ctx: Context, agent: AgentKey, id: string): Promise<DeploymentRow> {
  const known = await store.findDeployment(ctx.db, agent, id)
  if (known === undefined) throw new ApiError('not_found', 'There is no such deployment in this account.')
  return known
}

/** What an agent behind a URL takes and returns is checked here; a bundle checks it itself. */
async function refuseUnreadable({ code, declaration }: DeployOrder): Promise<void> {
  if (code.kind !== 'url') return
  for (const name of Object.keys(SCHEMAS) as SchemaName[]) {
    if (declaration[name] === undefined) continue
    const result = await readSchema(declaration[name], name)
    if (!('fault' in result)) continue
    const { path, message, hint } = result.fault
    throw new ApiError(
      'invalid_schema',
      `${path}: ${message}`,
      hint ?? 'Correct the schema, or leave it out.',
    )
  }
}

async function contentOf(ctx: Context, given: DeployOrder) {
  await refuseUnreadable(given)
  const { code, ...order } = given
  const missing = variablesOf(order.declaration).find(name => !order.env[name])
  if (missing !== undefined)
    throw new ApiError(
      'invalid_request',
      `A source that the agent declares is asked with ${missing}, which the environment of the deployment ${order.env[missing] === '' ? 'has without a value' : 'does not have'}.`,
      `Deploy with --env ${missing}.`,
    )
  const id = ctx.newId()
  const bundle_hash = code.kind === 'bundle' ? toHex(await sha256(code.text)) : null
  return {
    id,
    project_id: order.project_id,
    agent_id: order.agent_id,
    kind: code.kind,
    protocol: code.kind === 'url' ? code.protocol : ('ndjson' as const),
    url: code.kind === 'url' ? code.url : null,
    bundle_hash,
    declaration: order.declaration,
    default_checks: order.declaration.checks === undefined ? [...DEFAULT_CHECKS] : null,
    env_sealed: await sealEnv(ctx, order.project_id, { id, bundle_hash }, order.env),
    external_id: order.external_id,
  }
}

async function findSame(ctx: Context, given: store.NewDeployment, env: Record<string, string>) {
  for (const version of await store.findSame(ctx.db, given)) {
    if (canonicalJson(await openEnv(ctx, given.project_id, version)) === canonicalJson(env)) return version
  }
  return undefined
}
