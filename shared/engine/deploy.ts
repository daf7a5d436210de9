// Deploys agents. Guarantee: a deployment never changes, the same content deployed again is the same version, and
// the environment is readable only with the master key.

import type { Context, Database } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { fault } from '../domain/fault.ts'
import type { AgentDeclaration } from '../domain/protocol.ts'
import { sha256, toHex } from '../domain/secrets.ts'
import type { AgentProtocol } from '../domain/vocabulary.ts'
import type { DeploymentRow } from '../schema/wire-account.ts'
import * as store from '../store/deployments.ts'
import { seal, unseal } from './sealing.ts'

export interface DeployOrder {
  project_id: string
  agent_id: string
  /** What runs: code that Assay runs itself, or an HTTP function somewhere. */
  code: { kind: 'bundle'; text: string } | { kind: 'url'; url: string; protocol: AgentProtocol }
  declaration: AgentDeclaration
  env: Record<string, string>
  external_id: string | null
}

/** Makes this content the agent's current deployment; `created` is false when it already was a version. */
export async function deploy(
  ctx: Context,
  order: DeployOrder,
): Promise<{ deployment: DeploymentRow; created: boolean }> {
  const { code } = order
  const bundle_hash = code.kind === 'bundle' ? toHex(await sha256(code.text)) : null
  const given: store.NewDeployment = {
    id: ctx.newId(),
    project_id: order.project_id,
    agent_id: order.agent_id,
    kind: code.kind,
    protocol: code.kind === 'url' ? code.protocol : 'ndjson',
    url: code.kind === 'url' ? code.url : null,
    bundle_hash,
    declaration: order.declaration,
    env_sealed: await sealEnv(ctx, order.env),
    external_id: order.external_id,
  }
  return ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    await store.lockAgent(db, order.agent_id)
    const same = await findSame(ctx, db, given, order.env)
    const id = same?.id ?? given.id
    if (same === undefined) {
      if (code.kind === 'bundle') await store.insertBundle(db, { hash: bundle_hash!, code: code.text })
      await store.insertDeployment(db, given)
    }
    await store.setCurrentDeployment(db, order.agent_id, id)
    await fault('deploy.before_commit')
    const deployment = await store.findDeployment(db, order.agent_id, id)
    return { deployment: deployment!, created: same === undefined }
  })
}

/** Makes an older deployment the current one again. @throws ApiError `not_found` */
export async function promote(ctx: Context, agent_id: string, deployment_id: string): Promise<DeploymentRow> {
  const known = await store.findDeployment(ctx.db, agent_id, deployment_id)
  if (known === undefined) throw new ApiError('not_found', 'There is no such deployment in this account.')
  await store.setCurrentDeployment(ctx.db, agent_id, deployment_id)
  return { ...known, is_current: true }
}

async function findSame(ctx: Context, db: Database, given: store.NewDeployment, env: Record<string, string>) {
  const wanted = sortedText(env)
  for (const version of await store.findSame(db, given)) {
    if (sortedText(await openEnv(ctx, version.env_sealed)) === wanted) return version
  }
  return undefined
}

const sortedText = (env: Record<string, string>) =>
  JSON.stringify(Object.entries(env).sort((a, b) => (a[0] < b[0] ? -1 : 1)))

/** Null when there is nothing in it. */
async function sealEnv(ctx: Context, env: Record<string, string>): Promise<string | null> {
  return Object.keys(env).length === 0 ? null : seal(ctx, 'environment', JSON.stringify(env))
}

export async function openEnv(ctx: Context, env_sealed: string | null): Promise<Record<string, string>> {
  return env_sealed === null ? {} : JSON.parse(await unseal(ctx, 'environment', env_sealed))
}
