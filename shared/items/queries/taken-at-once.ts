// The items of a run that the statement which opens it takes as well. Guarantee: what may start is reckoned under the locks of
// every other claim and by the same rule; nothing that waits in the project is overtaken; and nobody waits for a lock to submit.

import { PROJECT_PRICES } from '../../accounts/queries/prices.ts'
import type { DatedPrice } from '../../accounts/rules/price-book.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../domain/limits.ts'
import { RUN_DEPLOYMENT, type RunDeployment } from '../../store/claims.ts'
import type { TakenRow } from '../../store/take.ts'
import { IS_OPEN } from './admission.ts'
import { OFFERS } from './open-runs.ts'

/** No row where no run was opened; one without a claim where nothing was taken. */
export interface TakenAtOnceRow extends TakenRow {
  /** What else a claim says of the run, beside its first item. */
  run: { deployment: RunDeployment; under_budget: boolean; prices: DatedPrice[] | null } | null
}

/**
 * Ends a statement in which `admitted` is the submitter and `made` the items that were written. Where partitions have a cap,
 * or the project has more runs than one look goes through, a claim of its own finds out what may start.
 */
export const takenAtOnce = (sql: Sql, { id, project_id }: { id: string; project_id: string }) => sql`
  , n as materialized (select count(*)::int as items from made), free as materialized (
    select n.items, d.id as deployment_id, json_build_object('deployment', ${sql.unsafe(RUN_DEPLOYMENT)},
      'under_budget', a.under_budget, 'prices', ${sql.unsafe(PROJECT_PRICES)}) as run
    from n, admitted a join deployments d on d.id = a.deployment_id, project_usage u join projects p on p.id = u.project_id
    where n.items > 0 and u.project_id = ${project_id} and p.settings->>'partition_concurrency' is null
      and a.open_runs <= ${LIMITS.open_runs_per_look} and not exists (
        select from runs r where r.project_id = u.project_id and ${sql.unsafe(`${IS_OPEN} and ${OFFERS}`)})
    for no key update of u skip locked
  )
  select t.*, case when t.seq = 1 then t.run end as run
  from n left join lateral (
    select t.*, free.run
    from free, take_range_2(${project_id}, ${id}, free.deployment_id, free.items, 0, 0, ${LIMITS.lease_ms}) t) t on true
  where n.items > 0`
