// Reads failure clusters. Triggers on `triage` maintain their counts, so a read costs as much as it returns, however
// many items have failed.

import { askProjects } from '../../cluster/queries/distributed.ts'
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
export async function readClusters(
  sql: Sql,
  projectIds: readonly string[],
  limit: number,
  samples: number,
): Promise<ClusterRow[]> {
  const [only] = projectIds
  const sized = await sql<Omit<ClusterRow, 'item_ids' | 'record_ids'>[]>`
    ${projectIds.length === 1 ? largestOfOne(sql, only!, limit) : largestOfMany(sql, projectIds, limit)}`
  const keys = sized.map(one => one.cluster_key)
  const latest = await askProjects(sql, projectIds, ids => latestOf(sql, ids, keys, samples), {
    limit: Infinity,
    compare: (a, b) => (placeOf(a) < placeOf(b) ? 1 : -1),
  })
  const latestOfKey = Map.groupBy(latest, one => one.cluster_key)
  return sized.map(cluster => {
    const own = latestOfKey.get(cluster.cluster_key)?.slice(0, samples) ?? []
    return { ...cluster, item_ids: own.map(one => one.item_id), record_ids: own.map(one => one.record_id) }
  })
}

interface Sample {
  cluster_key: string
  created_text: string
  item_id: string
  record_id: string
}

const placeOf = (one: Sample) => `${one.created_text} ${one.record_id}`

/** The latest items of each cluster in these projects, latest first. */
const latestOf = (sql: Sql, ids: readonly string[], keys: readonly string[], samples: number) => sql<
  Sample[]
>`
  with t as materialized (
    select k.cluster_key, one.* from unnest(${[...keys]}::text[]) as k(cluster_key), lateral (
      select one.* from unnest(${[...ids]}::uuid[]) as p(id), lateral (
        select project_id, run_id, seq, created_at from triage
        where project_id = p.id and project_id = any(${[...ids]}::uuid[]) and cluster_key = k.cluster_key
        order by created_at desc, run_id desc, seq desc limit ${samples}
      ) one
      order by created_at desc, run_id desc, seq desc limit ${samples}
    ) one
  )
  select t.cluster_key, t.created_at::text as created_text, i.item_id, ${recordId(sql, 't')} as record_id
  from t cross join lateral (select item_id from items where project_id = t.project_id
    and project_id = any(${[...ids]}::uuid[]) and run_id = t.run_id and seq = t.seq offset 0) i
  order by t.created_at desc, t.run_id desc, t.seq desc`

const largestOfOne = (sql: Sql, projectId: string, limit: number) => sql`
  select cluster_key, error_code, sample_prompt, count
  from failure_clusters where project_id = ${projectId} and count > 1
  order by count desc, cluster_key limit ${limit}`

/** An item that is alone in its project may form a cluster with items of the account's other projects. */
const largestOfMany = (sql: Sql, projectIds: readonly string[], limit: number) => sql`
  select cluster_key, min(error_code) as error_code, min(sample_prompt) as sample_prompt,
    sum(count)::int as count
  from failure_clusters where project_id = any(${[...projectIds]}::uuid[])
  group by 1 having sum(count) > 1 order by 4 desc, 1 limit ${limit}`

/** Failed items whose prompt is not stored yet: inputs up to `bytes`, at least one item. */
export async function findUnclustered(sql: Sql, limit: number, bytes: number) {
  return sql<(RunKey & { seq: number; input: string })[]>`
    with bare as (
      select project_id, run_id, seq from triage where error_code is not null and prompt is null
      order by run_id, seq limit ${limit}
    ), sized as (
      select i.project_id, i.run_id, i.seq, sum(octet_length(i.input)) over (order by i.run_id, i.seq) as upto,
        row_number() over (order by i.run_id, i.seq) as n
      from bare join items i using (project_id, run_id, seq)
    )
    select i.project_id, i.run_id, i.seq, i.input from sized s join items i using (project_id, run_id, seq)
    where (s.upto <= ${bytes} or s.n = 1)`
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
