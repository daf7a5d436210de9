// Reads what agents did lately. Guarantee: it reads a bounded number of runs per agent, by the indexes of its runs; its
// cost comes from the daily sums, and its open runs from the index of open runs.

import { askProjects } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { AgentActivityRow } from '../wire/agent-activity.ts'

const DAY_MS = 86_400_000
const RUNS_DAYS = 7
const COST_DAYS = 30

/** The activity of the given agents, which the caller must be allowed to see. `now` is in milliseconds. */
export async function readAgentActivity(
  sql: Sql,
  agents: readonly { id: string; project_id: string }[],
  now: number,
) {
  const since_id = firstIdAt(now - RUNS_DAYS * DAY_MS)
  const since_day = new Date(now - (COST_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const ask = (ids: readonly string[]) => {
    const own = agents.filter(one => ids.includes(one.project_id))
    const project = ids.length === 1 ? sql`${ids[0]!}::uuid` : sql`a.project_id`
    return sql<AgentActivityRow[]>`
    with open as materialized (
      select agent_id, count(*)::int as runs, sum(paused)::bigint as held from runs
      where project_id = any(${[...ids]}::uuid[]) and agent_id = any(${own.map(one => one.id)}::uuid[]) and finished_at is null
      group by 1
    )
    select a.id as agent_id, l.id as last_run_id, l.created_at as last_run_at, r.runs, r.ok, r.not_ok, r.over_budget,
      m.cost_micro, coalesce(o.runs, 0) as open_runs, coalesce(o.held, 0) as held
    from unnest(${own.map(one => one.id)}::uuid[], ${own.map(one => one.project_id)}::uuid[]) as a(id, project_id)
    left join open o on o.agent_id = a.id
    left join lateral (
      select id, created_at from runs where agent_id = a.id and project_id = ${project} order by id desc limit 1) l on true
    cross join lateral (
      select count(*)::int as runs, coalesce(sum(ok), 0)::bigint as ok,
        coalesce(sum(degraded + failed + budget_exceeded), 0)::bigint as not_ok,
        coalesce(sum(budget_exceeded), 0)::bigint as over_budget
      from (
        select ok, degraded, failed, budget_exceeded from runs f
        where agent_id = a.id and project_id = ${project} and id >= ${since_id} and ${sql.unsafe(isFirstRun('f'))}
        order by id desc limit ${LIMITS.agent_runs_summed}) latest) r
    cross join lateral (
      select coalesce(sum(cost_micro), 0)::bigint as cost_micro from model_calls
      where project_id = ${project} and agent_id = a.id and day >= ${since_day}::text::date) m`
  }
  const ids = [...new Set(agents.map(one => one.project_id))]
  return askProjects(sql, ids, ask, { limit: agents.length, compare: () => 0 })
}
