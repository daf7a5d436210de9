// Finds credentials that several projects call a host with, so that each paces it without knowing of the others. Guarantee: no
// value and no hash of one leaves this function; only the operator may ask.

import { createHmac, randomBytes } from 'node:crypto'
import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { Context } from '../../context.ts'
import { findUsedCredentials } from '../queries/shared-credentials.ts'

export interface SharedCredential {
  host: string
  used_by: { project_id: string; label: string }[]
}

export async function findSharedCredentials(ctx: Context): Promise<SharedCredential[]> {
  // Of this call alone: the names of credentials that are stored differ by project.
  const key = randomBytes(32)
  const users = new Map<string, SharedCredential>()
  for (const { project_id, host, label, deployment } of await findUsedCredentials(ctx.sql)) {
    const value = (await openEnv(ctx, project_id, deployment).catch((): Record<string, string> => ({})))[
      label
    ]
    if (value === undefined) continue
    const name = `${host} ${createHmac('sha256', key).update(value).digest('hex')}`
    const known = users.get(name) ?? { host, used_by: [] }
    users.set(name, known)
    if (!known.used_by.some(one => one.project_id === project_id && one.label === label))
      known.used_by.push({ project_id, label })
  }
  const projectsOf = ({ used_by }: SharedCredential) =>
    new Set(used_by.map(({ project_id }) => project_id)).size
  return [...users.values()].filter(one => projectsOf(one) > 1)
}
