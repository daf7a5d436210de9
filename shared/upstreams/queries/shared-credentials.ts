// Reads which credentials projects call with, for the operator alone. Guarantee: a bounded number of rows, those used last.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

/** A variable that a project calls a host with, and the environment that has its value. */
export interface UsedCredential {
  project_id: string
  host: string
  label: string
  deployment: { id: string; bundle_hash: string | null; env_sealed: string }
}

export const findUsedCredentials = (sql: Sql) =>
  sql<UsedCredential[]>`
    select u.project_id, u.host, u.label,
      jsonb_build_object('id', d.id, 'bundle_hash', d.bundle_hash, 'env_sealed', d.env_sealed) as deployment
    from upstreams u join deployments d on d.project_id = u.project_id and d.id = u.deployments[1]
    where u.kind = 'credential' and u.label is not null and u.agent_id is null and d.env_sealed is not null
    order by u.used_at desc limit ${LIMITS.metrics_upstreams}`
