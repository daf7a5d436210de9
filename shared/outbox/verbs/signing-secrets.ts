// Derives the secrets that a project's messages are signed with. Guarantee: none is stored; each is derived from the
// master key, the project and a version, so it is the same in every process and exists from the beginning.

import type { Context } from '../../context.ts'
import { secretText } from '../../kernel/message-signature.ts'
import { namedSecret } from '../../kernel/secrets.ts'
import * as store from '../queries/signing.ts'

type Secret = Uint8Array<ArrayBuffer>

export interface SigningSecret {
  secret: string
  rolled_at: Date | null
  /** The previous secret, while it signs as well. */
  previous: { secret: string; valid_until: Date } | null
}

export async function readSigningSecret(ctx: Context, project_id: string): Promise<SigningSecret> {
  const { version, rolled_at, overlap_until } = (await store.findSigningVersions(ctx.db, [project_id])).get(
    project_id,
  )!
  const textOf = async (version: number) => secretText(await secretOf(ctx, project_id, version))
  return {
    secret: await textOf(version),
    rolled_at,
    previous: overlap_until && { secret: await textOf(version - 1), valid_until: overlap_until },
  }
}

/** Makes a new secret. The previous one signs as well for a day; an older one no longer signs. */
export async function rollSigningSecret(ctx: Context, project_id: string): Promise<SigningSecret> {
  await store.rollSigningVersion(ctx.db, project_id)
  return readSigningSecret(ctx, project_id)
}

/** The secrets that sign the messages of the projects now, by project, the newest first. */
export async function signingSecretsOf(
  ctx: Context,
  projectIds: readonly string[],
): Promise<Map<string, Secret[]>> {
  const secrets = new Map<string, Secret[]>()
  for (const [id, { version, overlap_until }] of await store.findSigningVersions(ctx.db, projectIds)) {
    const versions = overlap_until === null ? [version] : [version, version - 1]
    secrets.set(id, await Promise.all(versions.map(one => secretOf(ctx, id, one))))
  }
  return secrets
}

function secretOf(ctx: Context, project_id: string, version: number): Promise<Secret> {
  return namedSecret(ctx.config.master_key, 'signing', `${project_id} ${version}`)
}
