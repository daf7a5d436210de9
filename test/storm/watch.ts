// Polls the database while everything is at work, past the relay. Guarantee: figures are compared within one snapshot;
// an item of a dead holder is timed from its holder's last sign of life, so the time reported is never too short.

import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { CAPS } from './installation.ts'

const LOOK_MS = 200
const MOST = 20 // breaches that are kept: a lasting one is found again at each poll

export interface Watch {
  breaches: Set<string>
  /** How many figures of runs were compared with a recount. */
  compared: number
  /**
   * The longest that items of a dead consumer waited to be released, in milliseconds; 0 if none died. While faults
   * strike, no consumer may be up to release them, so the time after their lease counts from `up_at` on.
   */
  slowest_back_ms: number
  /** When everything was up again, in milliseconds since the epoch. */
  up_at: number
  stop(): Promise<void>
}

interface RunFigures {
  id: string
  concurrency: number | null
  differs: string[]
  running: number
}

/** `byPartition`: whether the project has a cap per partition. */
export function watch(sql: Sql, { byPartition }: { byPartition: boolean }): Watch {
  let isOver = false
  const leases = new Map<number, Date>()
  const seen: Watch = {
    breaches: new Set(),
    compared: 0,
    slowest_back_ms: 0,
    up_at: Number.POSITIVE_INFINITY,
    async stop() {
      isOver = true
      await looking
    },
  }
  const report = (breach: string) => {
    if (seen.breaches.size < MOST) seen.breaches.add(breach)
  }
  const look = async () => {
    const [runs, claims] = await Promise.all([figuresOf(sql), claimsOf(sql)])
    compare(byPartition ? runs : { ...runs, partitions: [] }, seen, report)
    timeLapsed(claims, leases, seen)
  }
  const looking = (async () => {
    for (; !isOver; await pause(LOOK_MS)) await look().catch(() => {}) // PostgreSQL is unreachable
  })()
  return seen
}

function compare(
  { runs, partitions, usage }: Awaited<ReturnType<typeof figuresOf>>,
  seen: Watch,
  report: (breach: string) => void,
): void {
  let running = 0
  for (const run of runs) {
    running += run.running
    seen.compared += FIGURES
    for (const name of run.differs) report(`${name} of run ${run.id} differed while at work`)
    if (run.running > (run.concurrency ?? CAPS.project))
      report(`run ${run.id} had ${run.running} items at work of ${run.concurrency} allowed`)
  }
  seen.compared += 1
  if (running !== usage) report(`the project said ${usage} items were at work, of ${running}`)
  if (running > CAPS.project) report(`the project had ${running} items at work of ${CAPS.project} allowed`)
  for (const { key, n } of partitions)
    if (n > CAPS.partition) report(`partition ${key} had ${n} items at work of ${CAPS.partition} allowed`)
}

const FIGURES = 7
/** One statement, so that all figures are of one snapshot. */
async function figuresOf(sql: Sql) {
  const [row] = await sql<
    { runs: RunFigures[] | null; partitions: { key: string; n: number }[] | null; usage: number }[]
  >`
    with open as materialized (select * from runs where finished_at is null and not materializing),
    counted as materialized (
      select i.run_id, i.status, i.outcome, i.partition_key, count(*)::int as n
      from open r join items i on i.project_id = r.project_id and i.run_id = r.id group by 1, 2, 3, 4),
    held as (
      select c.run_id, count(*)::int as n from claims c, unnest(c.seqs, c.attempts) as t(seq, attempt)
      join items i using (seq, attempt) where i.project_id = c.project_id and i.run_id = c.run_id and i.status = 'running'
      group by 1),
    figures as (
      select r.id, r.concurrency, coalesce(sum(n) filter (where c.status = 'running'), 0)::int as counted_running,
        array_remove(array[
          case when r.running <> coalesce(sum(n) filter (where c.status = 'running'), 0) then 'running' end,
          case when r.ok <> coalesce(sum(n) filter (where c.outcome = 'ok'), 0) then 'ok' end,
          case when r.degraded <> coalesce(sum(n) filter (where c.outcome = 'degraded'), 0) then 'degraded' end,
          case when r.failed <> coalesce(sum(n) filter (where c.status = 'failed'), 0) then 'failed' end,
          case when r.cancelled <> coalesce(sum(n) filter (where c.status = 'cancelled'), 0) then 'cancelled' end,
          case when r.paused <> coalesce(sum(n) filter (where c.status = 'paused'), 0) then 'paused' end,
          case when coalesce((select n from held where run_id = r.id), 0)
            <> coalesce(sum(n) filter (where c.status = 'running'), 0) then 'items held by claims' end], null) as differs
      from open r left join counted c on c.run_id = r.id
      group by r.id, r.concurrency, r.running, r.ok, r.degraded, r.failed, r.cancelled, r.paused)
    select (select json_agg(json_build_object('id', id, 'concurrency', concurrency, 'running', counted_running,
        'differs', differs)) from figures) as runs,
      (select json_agg(p) from (select partition_key as key, sum(n)::int as n from counted
        where status = 'running' and partition_key is not null group by 1) p) as partitions,
      (select sum(running)::int from project_usage) as usage`
  return { runs: row!.runs ?? [], partitions: row!.partitions ?? [], usage: row!.usage }
}

const claimsOf = (sql: Sql) => sql<{ id: number | null; lease_until: Date | null; now: Date }[]>`
  select c.id, c.lease_until, now.now from (select clock_timestamp() as now) now left join claims c on true`

/** A claim that is gone after its lease expired was taken from a holder that sent no heartbeat for a whole lease. */
function timeLapsed(
  claims: Awaited<ReturnType<typeof claimsOf>>,
  leases: Map<number, Date>,
  seen: Watch,
): void {
  const { now } = claims[0]!
  const there = new Map(claims.flatMap(one => (one.id === null ? [] : [[one.id, one.lease_until!]])))
  for (const [id, until] of leases) {
    if (there.has(id)) continue
    leases.delete(id)
    if (until > now) continue // its holder released it
    const late_ms = Math.max(0, now.getTime() - Math.max(until.getTime(), seen.up_at))
    seen.slowest_back_ms = Math.max(seen.slowest_back_ms, LIMITS.lease_ms + late_ms)
  }
  for (const [id, until] of there) leases.set(id, until)
}
