// Groups failed items by error code and prompt. Guarantee: the counts add up to the failures, and a cached answer holds
// every failure committed before the request. The cache entry carries the database's count of changes, so it is stale
// as soon as any process writes a failure.

import { recallSealed, rememberSealed } from '../../accounts/verbs/sealed-cache.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as store from '../queries/clusters.ts'
import { promptHead } from '../rules/clustering.ts'

export interface Cluster {
  cluster_key: string
  error_code: string
  sample_prompt: string
  count: number
  item_ids: string[]
  record_ids: string[]
}

export interface Clusters {
  clusters: Cluster[]
  total_failures: number
}

/** The clusters of some projects, largest first; `other` counts single failures and clusters beyond the bound. */
export async function failureClusters(ctx: Context, projectIds: readonly string[]): Promise<Clusters> {
  const { failures, changes } = await store.readFailureState(ctx.sql, projectIds)
  const name = `clusters:${[...projectIds].sort().join(',')}`
  const kept = await recallSealed<{ changes: number; answer: Clusters }>(ctx, name)
  if (kept?.changes === changes) return kept.answer
  const answer = await readWhole(ctx, projectIds, failures)
  await rememberSealed(ctx, name, { changes, answer }, LIMITS.clusters_cache_ms)
  return answer
}

async function readWhole(ctx: Context, projectIds: readonly string[], failures: number): Promise<Clusters> {
  const rows = await store.readClusters(ctx.sql, projectIds, LIMITS.clusters_listed, LIMITS.cluster_item_ids)
  const grouped = rows.reduce((sum, row) => sum + row.count, 0)
  // A failure that was committed between the two reads is in the clusters already.
  const others = Math.max(0, failures - grouped)
  const other: Cluster = {
    cluster_key: 'other',
    error_code: '',
    sample_prompt: '',
    count: others,
    item_ids: [],
    record_ids: [],
  }
  return { clusters: others > 0 ? [...rows, other] : [...rows], total_failures: grouped + others }
}

/** Stores the prompts of failed items that ended without being dispatched; returns how many items. */
export async function clusterUndispatched(ctx: Context): Promise<number> {
  let items = 0
  for (let chunk = 0; chunk < LIMITS.recovery_chunks_per_sweep; chunk++) {
    const rows = await store.findUnclustered(
      ctx.sql,
      LIMITS.cluster_reading_items,
      LIMITS.cluster_reading_bytes,
    )
    const runs = Map.groupBy(rows, row => row.run_id)
    for (const of of runs.values())
      items += await store.writePrompts(
        ctx.sql,
        of[0]!,
        of.map(({ seq, input }) => ({ seq, prompt: promptHead(input) })),
      )
    if (rows.length === 0) break
  }
  return items
}
