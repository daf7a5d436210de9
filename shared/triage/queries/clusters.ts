// Reads failure clusters. Triggers on `triage` maintain their counts, so a read costs as much as it returns, however
// many items have failed.

import type { Fragment } from 'postgres'
import { asked, asProjects, ofOne } from '../../cluster/queries/distributed.ts'
import { askReachable, isDistributed } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { numbers, textRows } from '../../kernel/packed-columns.ts'

export interface ClusterRow {
  cluster_key: string
  error_code: string
  sample_prompt: string
  count: number
  item_ids: string[]
  record_ids: string[]
}

/** The number of failures of some projects, and a number that changes whenever their clusters change. */
export async function readFailureState(sql: Sql, projectIds: readonly string[]) {
  const [row] = await sql<{ failures: number; changes: number }[]>`
    select coalesce(sum(failures), 0)::bigint as failures, coalesce(sum(failure_changes), 0)::bigint as changes
    from project_usage where project_id = any(${[...projectIds]}::uuid[])`
  return row!
}

/** The largest clusters of more than one item, each with the ids of its latest items. */
export async function readClusters(sql: Sql, projectIds: readonly string[], limit: number, samples: number) {
  if (projectIds.length > 1 && (await isDistributed(sql)))
    return readFromNodes(sql, projectIds, limit, samples)
  const of = projectIds.length === 1 ? asProjects(sql, projectIds) : sql`unnest(s.projects) as p(id)`
  return sql<ClusterRow[]>`
    with sized as materialized (${projectIds.length === 1 ? largestOfOne(sql, projectIds[0]!, limit) : largestOfMany(sql, projectIds, limit)})
    select s.cluster_key, s.error_code, s.sample_prompt, s.count, latest.item_ids, latest.record_ids
    from sized s, lateral (
      select array_agg(i.item_id order by t.created_at desc, t.run_id desc, t.seq desc) as item_ids,
        array_agg(${recordId(sql, 't')}
          order by t.created_at desc, t.run_id desc, t.seq desc) as record_ids
      from (${latestOf(sql, of, samples)}) t
        join items i on i.project_id = t.project_id and i.run_id = t.run_id and i.seq = t.seq ${ofOne(sql, 'i', projectIds)}
    ) latest
    order by s.count desc, s.cluster_key`
}

const latestOf = (sql: Sql, projects: Fragment, samples: number) => sql`
  select one.* from ${projects}, lateral (
    select project_id, run_id, seq, created_at from triage
    where project_id = p.id and cluster_key = s.cluster_key
    order by created_at desc, run_id desc, seq desc limit ${samples}
  ) one
  order by created_at desc, run_id desc, seq desc limit ${samples}`

interface Sample {
  cluster_key: string
  created_text: string
  item_id: string
  record_id: string
}

/** Queries each project's node for its latest items. */
async function readFromNodes(sql: Sql, projectIds: readonly string[], limit: number, samples: number) {
  const sized = await sql<
    Omit<ClusterRow, 'item_ids' | 'record_ids'>[]
  >`${largestOfMany(sql, projectIds, limit)}`
  const found: Sample[] = []
  for (const id of projectIds)
    found.push(
      ...(await sql<Sample[]>`
        select s.cluster_key, t.created_at::text as created_text, i.item_id, ${recordId(sql, 't')} as record_id
        from unnest(${sized.map(one => one.cluster_key)}::text[]) as s(cluster_key),
          lateral (${latestOf(sql, asProjects(sql, [id]), samples)}) t
          join items i on i.project_id = t.project_id and i.run_id = t.run_id and i.seq = t.seq ${asked(sql, 'i', id)}`),
    )
  const placeOf = (one: Sample) => `${one.created_text} ${one.record_id}`
  found.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
  return sized.map(({ cluster_key, error_code, sample_prompt, count }) => {
    const latest = found.filter(one => one.cluster_key === cluster_key).slice(0, samples)
    const item_ids = latest.map(one => one.item_id)
    return {
      cluster_key,
      error_code,
      sample_prompt,
      count,
      item_ids,
      record_ids: latest.map(one => one.record_id),
    }
  })
}

const largestOfOne = (sql: Sql, projectId: string, limit: number) => sql`
  select cluster_key, error_code, sample_prompt, count, array[project_id] as projects
  from failure_clusters where project_id = ${projectId} and count > 1
  order by count desc, cluster_key limit ${limit}`

/** An item that is alone in its project may form a cluster with items of the account's other projects. */
const largestOfMany = (sql: Sql, projectIds: readonly string[], limit: number) => sql`
  select cluster_key, min(error_code) as error_code, min(sample_prompt) as sample_prompt,
    sum(count)::int as count, array_agg(project_id) as projects
  from failure_clusters where project_id = any(${[...projectIds]}::uuid[])
  group by 1 having sum(count) > 1 order by 4 desc, 1 limit ${limit}`

/** Failed items whose prompt is not stored yet: inputs up to `bytes`, at least one item. */
export async function findUnclustered(sql: Sql, limit: number, bytes: number) {
  return askReachable(
    sql,
    of => sql<(RunKey & { seq: number; input: string })[]>`
    with bare as (
      select project_id, run_id, seq from triage where error_code is not null and prompt is null ${of('triage')}
      order by run_id, seq limit ${limit}
    ), sized as (
      select i.project_id, i.run_id, i.seq, sum(octet_length(i.input)) over (order by i.run_id, i.seq) as upto,
        row_number() over (order by i.run_id, i.seq) as n
      from bare join items i using (project_id, run_id, seq) where true ${of('i')}
    )
    select i.project_id, i.run_id, i.seq, i.input from sized s join items i using (project_id, run_id, seq)
    where (s.upto <= ${bytes} or s.n = 1) ${of('i')}`,
  )
}

/** Stores the prompts of a run's failed items that had none; returns how many items. */
export async function writePrompts(
  sql: Sql,
  { project_id, run_id }: RunKey,
  prompts: readonly { seq: number; prompt: string }[],
): Promise<number> {
  const result = await sql`
    update triage t set prompt = p.prompt
    from rows from (
      unnest(${numbers(prompts.map(p => p.seq))}::text::int[]),
      ${textRows(
        sql,
        prompts.map(p => p.prompt),
      )}
    ) as p(seq, prompt)
    where t.project_id = ${project_id} and t.run_id = ${run_id} and t.seq = p.seq and t.prompt is null and t.error_code is not null`
  return result.count
}
