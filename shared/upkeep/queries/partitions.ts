// Weekly partitions of the steps and of their search index, by run id: a run's steps lie in the partitions of the
// week it was submitted in. Guarantee: what makes and drops them waits for no lock, since whoever waits for one stands
// before all who read or write steps; it finds its moment at another tick.

import type { Sql } from '../../context.ts'
import { firstIdAt, timeOf } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const WEEKS_AHEAD = 2
const PARTITIONED = ['steps', 'step_index'] as const
const LOCK_NOT_AVAILABLE = '55P03'
const DUPLICATES = ['42P07', '23505', '42710'] // duplicate_table, unique_violation, duplicate_object

/**
 * Makes the partitions for this week and the next ones where they are missing; returns how many it made. One whose rows
 * lie in the default partition and are too many to move stays away, and so does one whose table somebody is at. What
 * owns the tables makes them (drizzle/0047), since the role of this process may own nothing.
 */
export async function ensureStepPartitions(sql: Sql, nowMs: number): Promise<number> {
  const week = weekOf(nowMs)
  const weeks = Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => week + i)
  const wanted = PARTITIONED.flatMap(table => weeks.map(week => ({ table, week, name: nameOf(table, week) })))
  const have = await sql<{ name: string }[]>`
    select relname as name from pg_class where relname = any(${wanted.map(one => one.name)}) and relispartition`
  const missing = wanted.filter(one => !have.some(({ name }) => name === one.name))
  let made = 0
  for (const { table, week } of missing) {
    // Where nobody made it in time, rows of that week lie in the default partition: few move, and many stay there.
    const most = LIMITS.partition_moved_rows
    const making = sql<
      { made: boolean }[]
    >`select make_step_week(${table}, ${dateOf(week)}::date, ${most}) as made`
    if (await doneUnlessInUse(making.then(([row]) => row!.made))) made++
  }
  return made
}

/**
 * Drops the week of steps that a run lies in, if no run needs it any more: each had its steps taken by retention.
 * False when the week has to stay, or somebody is at the tables just now.
 */
export async function dropSpentWeek(sql: Sql, run_id: string, nowMs: number): Promise<boolean> {
  const week = weekOf(timeOf(run_id))
  if (week >= weekOf(nowMs)) return false
  const names = PARTITIONED.map(table => nameOf(table, week))
  const [from, to] = [firstIdAt(week * WEEK_MS), firstIdAt((week + 1) * WEEK_MS)]
  const [seen] = await sql<{ there: boolean; needed: boolean }[]>`
    select exists (select 1 from unnest(${names}::text[]) name where to_regclass(name) is not null) as there,
      exists (select 1 from runs where id >= ${from} and id < ${to} and steps_purged_at is null) as needed`
  const { there, needed } = seen!
  if (!there || needed) return false
  const dropping = sql<{ dropped: boolean }[]>`select drop_step_week(${dateOf(week)}::date) as dropped`
  if (!(await doneUnlessInUse(dropping.then(([row]) => row!.dropped)))) return false
  await sql`delete from purges where kind = 'steps' and run_id >= ${from} and run_id < ${to}`
  return true
}

/** False where somebody is at the tables, or has done it meanwhile. */
async function doneUnlessInUse(change: Promise<boolean>): Promise<boolean> {
  try {
    return await change
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === LOCK_NOT_AVAILABLE || DUPLICATES.includes(code)) return false
    throw error
  }
}

/** The start of the week a moment lies in. */
export const weekStart = (ms: number) => weekOf(ms) * WEEK_MS

const weekOf = (ms: number) => Math.floor(ms / WEEK_MS)

const dateOf = (week: number) => new Date(week * WEEK_MS).toISOString().slice(0, 10)

const nameOf = (table: string, week: number) => `${table}_${dateOf(week).replaceAll('-', '')}`
