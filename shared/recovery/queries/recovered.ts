// Counts the items of runs that did not end ok and that replays have made ok since. Guarantee: reads the counters of the
// replaying runs, and items only of recoveries that mix the items of several runs, so a list costs little.

import type { Sql } from '../../context.ts'
import { byProject } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'

/** What it needs to know of a run. */
interface EndedRun {
  id: string
  project_id: string
  ok: number
  total_items: number
}

/** The runs, each with how many of its items replays, and replays of these, have made ok. */
export async function withRecovered<Run extends EndedRun>(
  sql: Sql,
  runs: readonly Run[],
): Promise<(Run & { recovered: number })[]> {
  const found = new Map<string, number>()
  const unwell = runs.filter(run => run.ok < run.total_items)
  for (const [project_id, own] of byProject(unwell))
    for (const { id, recovered } of await countRecovered(sql, project_id, own)) found.set(id, recovered)
  return runs.map(run => ({ ...run, recovered: Math.min(found.get(run.id) ?? 0, run.total_items - run.ok) }))
}

function countRecovered(sql: Sql, project_id: string, runs: readonly EndedRun[]) {
  const ofProject = sql`project_id = ${project_id}`
  const corrected = sql`(
    select count(*) filter (where t.corrected = 'ok') - count(*) filter (where t.corrected = 'degraded') from triage t
    where t.project_id = ${project_id} and t.run_id = n.id and t.corrected is not null)`
  // Of a recovery over several runs, the items that descend from this one.
  const mixed = sql`(
    select count(*) from replays p cross join lateral (
      select coalesce((
        select t.corrected from triage t where t.project_id = ${project_id} and t.run_id = p.run_id and t.seq = p.seq), i.outcome) as outcome
      from items i where i.project_id = ${project_id} and i.run_id = p.run_id and i.seq = p.seq offset 0) i
    where p.project_id = ${project_id} and p.run_id = n.id and i.outcome = 'ok'
      and (p.from_run_id = tree.root or p.from_run_id in (select up.run_id from tree up where up.root = tree.root)))`
  return sql<{ id: string; recovered: number }[]>`
    with recursive tree as (
      select r.id as root, p.run_id from unnest(${runs.map(run => run.id)}::uuid[]) as r(id) cross join lateral (
        select distinct run_id from replays where ${ofProject} and from_run_id = r.id limit ${LIMITS.lineage_items}) p
      union
      select tree.root, p.run_id from tree cross join lateral (
        select distinct run_id from replays where ${ofProject} and from_run_id = tree.run_id limit ${LIMITS.lineage_items}) p
    )
    select tree.root as id, sum(case when n.replay_of is null then ${mixed} else n.ok + ${corrected} end)::int as recovered
    from tree join runs n on n.project_id = ${project_id} and n.id = tree.run_id group by 1`
}
