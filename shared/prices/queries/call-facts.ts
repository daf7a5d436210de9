// Reads what is known of an agent's model calls, by which its budgets are held or not.

import type { Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { CallFacts } from '../rules/held-budget.ts'

const COUNTS = (run: string) => `(${run}.model_calls > 0 or ${run}.cost_micro > 0)`

/**
 * `CallFacts` of the run `r`, whose deployment is `d`, as JSON. The newest run that shows anything decides: it itself, or
 * one before it of the same deployment, as the code behind a URL changes without a deploy. Replays count only if they
 * made calls: they may have made those of their items before.
 */
export const callFacts = (r: string, d: string): string => `jsonb_build_object(
  'seen', case when ${COUNTS(r)} then 'recorded' else (
    select case when ${COUNTS('p')} then 'recorded' else 'not_recorded' end
    from (
      select p.id, p.model_calls, p.cost_micro, p.ok, p.degraded, p.replay_of, p.recovery_id, p.deployment_id from runs p
      where p.project_id = ${r}.project_id and p.agent_id = ${r}.agent_id and p.id <= ${r}.id
      order by p.id desc limit ${LIMITS.unpriced_runs_looked_at}
    ) p
    where p.deployment_id is not distinct from ${r}.deployment_id
      and (${COUNTS('p')} or p.ok + p.degraded > 0 and ${isFirstRun('p')})
    order by p.id desc limit 1) end,
  'declared', ${d}.declaration->>'model_calls',
  'protocol', ${d}.protocol,
  'is_bounded', ${r}.budget_micro is not null or coalesce(${d}.declaration ? 'item_budget_cents', false) or exists (
    select 1 from budgets b where b.project_id = ${r}.project_id and (b.agent_id is null or b.agent_id = ${r}.agent_id)))`

/** The same of the next run of an agent. */
export async function findCallFacts(sql: Sql, { project_id, agent_id }: AgentKey): Promise<CallFacts> {
  const [row] = await sql<{ facts: CallFacts }[]>`
    select ${sql.unsafe(callFacts('r', 'd'))} as facts
    from (
      select project_id, id as agent_id, current_deployment_id as deployment_id, null::bigint as budget_micro,
        'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as id, 0 as model_calls, 0 as cost_micro
      from agents where project_id = ${project_id} and id = ${agent_id}
    ) r left join deployments d on d.project_id = r.project_id and d.id = r.deployment_id`
  return row?.facts ?? { seen: null, declared: null, protocol: null, is_bounded: false }
}
