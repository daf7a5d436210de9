// Reads which versions of its code a run's items ended by, from counts that settling keeps.

import type { Sql } from '../../context.ts'
import type { CodeVersionRow } from '../wire/code-versions.ts'

/** In the order in which they were first seen, those beyond the bound last. */
export const findRunVersions = (
  sql: Sql,
  { project_id, agent_id, id }: { project_id: string; agent_id: string; id: string },
) => sql<CodeVersionRow[]>`
  select v.name, r.ok, r.degraded, r.failed, r.cost_micro
  from run_versions r
  left join code_versions v on v.project_id = ${project_id} and v.agent_id = ${agent_id} and v.no = r.code_version
  where r.project_id = ${project_id} and r.run_id = ${id}
  order by nullif(r.code_version, 0)`
