// Finds open recoveries. Guarantee: if a node of a cluster is lost, recoveries of projects on the others are found.

import { askReachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import type { RecoveryKey } from './recoveries.ts'

export async function findOpenRecoveries(sql: Sql, limit: number) {
  return askReachable(
    sql,
    of => sql<RecoveryKey[]>`
    select project_id, id from recoveries where finished_at is null ${of('recoveries')} order by id limit ${limit}`,
  )
}
