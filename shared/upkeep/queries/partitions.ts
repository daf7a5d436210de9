// Creates and drops weekly partitions of the steps and of their search index, by run id: a run's steps are in the
// partitions of the week it was submitted in. Guarantee: creating and dropping never wait for a lock, because a waiting
// lock blocks every read and write of steps behind it; another tick tries again.

import type { Sql } from '../../context.ts'
import { firstIdAt, timeOf } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isOfOtherNode } from '../../kernel/unreachable.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const WEEKS_AHEAD = 2
const PARTITIONED = ['steps', 'step_index'] as const
const LOCK_NOT_AVAILABLE = '55P03'
const DUPLICATES = ['42P07', '23505', '42710'] // duplicate_table, unique_violation, duplicate_object

/**
 * Creates the missing partitions of this week and the next ones; returns how many it created. It leaves out a partition
 * whose rows are in the default partition and are too many to move, and one whose table is in use. They are created as
 * the owner of the tables (drizzle/0047), because the role of this process may own nothing.
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
    // If it was not created in time, rows of that week are in the default partition: few are moved, many stay there.
    const most = LIMITS.partition_moved_rows
    const making = sql<{ done: boolean }[]>`
      select make_step_week(${table}, ${dateOf(week)}::date, ${most}) as done`
    if (await doneUnlessInUse(making)) made++
  }
  return made
}

/**
 * Drops the week of steps that a run is in, if retention has taken the steps of all runs of that week. False if the
 * week has to stay, or if its tables are in use.
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
  const dropping = sql<{ done: boolean }[]>`select drop_step_week(${dateOf(week)}::date) as done`
  if (!(await doneUnlessInUse(dropping))) return false
  await sql`delete from purges where kind = 'steps' and run_id >= ${from} and run_id < ${to}`
  return true
}

/** False if the tables are in use, or if another process has done it meanwhile. */
async function doneUnlessInUse(change: PromiseLike<{ done: boolean }[]>): Promise<boolean> {
  try {
    const [row] = await change
    return row!.done
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === LOCK_NOT_AVAILABLE || DUPLICATES.includes(code) || isOfOtherNode(error)) return false
    throw error
  }
}

/** The start of the week that an instant is in; both are in milliseconds. */
export const weekStart = (ms: number) => weekOf(ms) * WEEK_MS

const weekOf = (ms: number) => Math.floor(ms / WEEK_MS)

const dateOf = (week: number) => new Date(week * WEEK_MS).toISOString().slice(0, 10)

const nameOf = (table: string, week: number) => `${table}_${dateOf(week).replaceAll('-', '')}`
