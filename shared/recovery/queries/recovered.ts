// Counts what replays have made since of the items of runs that did not end ok. Guarantee: reads the counters of the
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

/** What came of the replays of a run's items, and of replays of these. */
export interface Replayed {
  /** Items that they have made ok. */
  recovered: number
  /** Replays that have ended, each of them counted. */
  replays: number
  /** The newest run of them. */
  replay_run_id: string | null
}

/** The runs, each with what came of its replays. */
export async function withRecovered<Run extends EndedRun>(
  sql: Sql,
  runs: readonly Run[],
): Promise<(Run & Replayed)[]> {
  const found = new Map<string, Replayed>()
  const unwell = runs.filter(run => run.ok < run.total_items)
  for (const [project_id, own] of byProject(unwell))
    for (const { id, ...replayed } of await countRecovered(sql, project_id, own)) found.set(id, replayed)
  return runs.map(run => {
    const { recovered, replays, replay_run_id } = found.get(run.id) ?? NONE
    return { ...run, recovered: Math.min(recovered, run.total_items - run.ok), replays, replay_run_id }
  })
}

const NONE: Replayed = { recovered: 0, replays: 0, replay_run_id: null }

function countRecovered(sql: Sql, project_id: string, runs: readonly EndedRun[]) {
  const ofProject = sql`project_id = ${project_id}`
  const corrected = sql`(
    select count(*) filter (where t.corrected = 'ok') - count(*) filter (where t.corrected = 'degraded') from triage t
    where t.project_id = ${project_id} and t.run_id = n.id and t.corrected is not null)`
  // Of a recovery over several runs, the items that descend from this one.
  const mixed = sql`
    select count(*) filter (where i.outcome = 'ok') as ok, count(i.outcome) as ended from replays p cross join lateral (
      select coalesce((
        select t.corrected from triage t where t.project_id = ${project_id} and t.run_id = p.run_id and t.seq = p.seq), i.outcome) as outcome
      from items i where i.project_id = ${project_id} and i.run_id = p.run_id and i.seq = p.seq offset 0) i
    where n.replay_of is null and p.project_id = ${project_id} and p.run_id = n.id
      and (p.from_run_id = tree.root or p.from_run_id in (select up.run_id from tree up where up.root = tree.root))`
  return sql<({ id: string } & Replayed)[]>`
    with recursive tree as (
      select r.id as root, p.run_id from unnest(${runs.map(run => run.id)}::uuid[]) as r(id) cross join lateral (
        select distinct run_id from replays where ${ofProject} and from_run_id = r.id limit ${LIMITS.lineage_items}) p
      union
      select tree.root, p.run_id from tree cross join lateral (
        select distinct run_id from replays where ${ofProject} and from_run_id = tree.run_id limit ${LIMITS.lineage_items}) p
    )
    select tree.root as id,
      sum(case when n.replay_of is null then m.ok else n.ok + ${corrected} end)::int as recovered,
      sum(case when n.replay_of is null then m.ended else n.ok + n.degraded + n.failed + n.budget_exceeded end)::int as replays,
      (array_agg(n.id order by n.id desc))[1] as replay_run_id
    from tree join runs n on n.project_id = ${project_id} and n.id = tree.run_id
      cross join lateral (${mixed}) m group by 1`
}
