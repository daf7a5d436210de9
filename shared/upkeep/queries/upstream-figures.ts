// Reads what upstreams of all projects do, as figures without their names. Guarantee: the number of rows read is bounded; figures
// of pace are of those that were called last.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type Pacing, refusalsOf, usedShare, useOf } from '../../pacing/rules/pacing.ts'
import { UPSTREAM_STATES, type UpstreamState } from '../../upstreams/vocabulary.ts'

export type ByState = Record<UpstreamState, number>

export interface UpstreamFigures {
  upstreams: ByState
  /** Items that wait, by the state of what they wait for. */
  items_wait: ByState
  /** Calls that were answered well, and that were refused for their number, in the last ten minutes. */
  calls: number
  refused_calls: number
  /** Of the upstream whose limit is used most; undefined where none is limited. */
  limit_used: number | undefined
}

const IN_MINUTES = 10

export async function readUpstreamFigures(sql: Sql): Promise<UpstreamFigures> {
  const [states, waiting, paced] = await Promise.all([
    sql<Counted[]>`select state, count(*)::int as count from upstreams where agent_id is null group by 1`,
    sql<Counted[]>`
      select u.state, sum(w.items)::int as count from (
        select project_id, waits_for as id, total_items - running - paused - ended_items(runs) as items
        from runs where waits_for is not null and finished_at is null limit ${LIMITS.metrics_counted}) w
      join upstreams u on u.project_id = w.project_id and u.id = w.id group by 1`,
    sql<{ pacing: Pacing; now_ms: number; is_own: boolean }[]>`
      select pacing, (extract(epoch from now()) * 1000)::float8 as now_ms, agent_id is not null as is_own
      from upstreams where pacing is not null and used_at > now() - make_interval(mins => ${IN_MINUTES})
      order by used_at desc limit ${LIMITS.metrics_upstreams}`,
  ])
  const used = paced.flatMap(({ pacing, now_ms }) => usedShare(pacing, now_ms) ?? [])
  // What an agent's own limit counts is counted by its upstream, too.
  const sum = (of: typeof refusalsOf) =>
    paced.reduce((all, { pacing, now_ms, is_own }) => (is_own ? all : all + total(of(pacing, now_ms))), 0)
  return {
    upstreams: byState(states),
    items_wait: byState(waiting),
    calls: sum(useOf),
    refused_calls: sum(refusalsOf),
    limit_used: used.length === 0 ? undefined : Math.max(...used),
  }
}

interface Counted {
  state: UpstreamState
  count: number
}

const total = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0)

const byState = (rows: readonly Counted[]): ByState =>
  Object.fromEntries(
    UPSTREAM_STATES.map(state => [state, rows.find(row => row.state === state)?.count ?? 0]),
  ) as ByState
