// SQL that claims items of a run in the statement that opens it. Guarantee: the number that may start is computed by
// the rule of every claim, under the same lock on the project's counts. Queued items of the project are not overtaken,
// and a submission never waits for that lock.

import { IS_OPEN, IS_SERVED, PROJECT_ROOM, RUN_ROOM } from '../../claims/queries/admission.ts'
import { OFFERS } from '../../claims/queries/open-runs.ts'
import { RUN_DEPLOYMENT, type RunDeployment } from '../../claims/queries/run-facts.ts'
import type { Sql } from '../../context.ts'
import { useMoves } from '../../items/queries/transitions.ts'
import { ITEM_COUNTERS } from '../../items/rules/lifecycle.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { pricesOf } from '../../prices/queries/prices.ts'
import type { DatedPrice } from '../../prices/rules/price-book.ts'

/** What a claim says of a run in addition to its items. */
export interface RunAtOnce {
  account_id: string
  deployment: RunDeployment
  under_budget: boolean
  prices: DatedPrice[] | null
}

/** The settings of a new run that decide how many of its items may start. */
interface OpenedRun {
  id: string
  project_id: string
  agent_id: string
  budget_micro: number | null
  concurrency: number | null
  pilot_items: number | null
}

/** Counters and flags of a run before any of its items was claimed. */
const NOTHING_YET = {
  ...Object.fromEntries(ITEM_COUNTERS.map(counter => [counter, 0])),
  cost_micro: 0,
  waits_for_price: false,
}

/**
 * Selects how many `items` of a run may start at once, and what a claim says of the run; `admitted` is its submitter.
 * It gives no row if a separate claim has to decide: partitions have a cap, the agent declares limits, the project has more open runs than one
 * poll covers, other items wait in it, another transaction holds its counts, or it has a budget by day or month. The
 * spending of such a budget would be read as it was before the lock.
 *
 * `offset 0` makes PostgreSQL plan the two subqueries by themselves: as joins, they and the other joins took 3.2 ms to
 * order instead of 2.1, and a connection plans a statement six times.
 */
export const placesAtOnce = (
  sql: Sql,
  { id, project_id, agent_id, ...caps }: OpenedRun,
  items: number,
) => sql`
  select least(${items}::int, ${sql.unsafe(PROJECT_ROOM)}, ${sql.unsafe(RUN_ROOM)})::int as items,
    json_build_object('account_id', p.account_id, 'deployment', ${sql.unsafe(RUN_DEPLOYMENT)},
      'under_budget', admitted.under_budget, 'prices', ${pricesOf(sql, sql`p.id`)}) as run
  from admitted join deployments d on d.id = admitted.deployment_id,
    json_populate_record(null::runs, ${JSON.stringify({ id, project_id, agent_id, ...caps, ...NOTHING_YET })}::text::json) r,
    project_usage u join projects p on p.id = u.project_id join accounts c on c.id = p.account_id
  where u.project_id = ${project_id} and d.declaration->'limits' is null and p.settings->>'partition_concurrency' is null and ${sql.unsafe(IS_SERVED)}
    and not exists (select 1 from budgets b where b.project_id = u.project_id offset 0)
    and admitted.open_runs <= ${LIMITS.open_runs_per_look}
    and not exists (select 1 from runs r where r.project_id = u.project_id and ${sql.unsafe(`${IS_OPEN} and ${OFFERS}`)} offset 0)
  for no key update of u skip locked`

/** Inserts the claim on the items written as running, and counts them in the project's usage; `opened` is the run. */
export const claimAtOnce = (sql: Sql) => sql`
  claim as (
    insert into claims (run_id, project_id, seqs, attempts, lease_until)
    select id, project_id, array(select generate_series(1, running)), array_fill(1::smallint, array[running]),
      clock_timestamp() + make_interval(secs => ${LIMITS.lease_ms / 1000})
    from opened where running > 0 returning id
  ), used as (
    update project_usage u set ${sql.unsafe(useMoves({ claim: 'o.running' }))}
    from opened o where u.project_id = o.project_id and o.running > 0
  )`
