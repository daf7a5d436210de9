// Weekly partitions of the steps and of their search index, by run id: a run's steps lie in the partitions of the
// week it was submitted in.

import type { Sql } from '../context.ts'
import { firstIdAt, timeOf } from '../domain/ids.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const WEEKS_AHEAD = 2
const PARTITIONED = ['steps', 'step_index'] as const

/** Makes the partitions for this week and the next ones where they are missing; returns how many it made. */
export async function ensureStepPartitions(sql: Sql, nowMs: number): Promise<number> {
  const week = weekOf(nowMs)
  const weeks = Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => week + i)
  const wanted = PARTITIONED.flatMap(table => weeks.map(week => ({ table, week, name: nameOf(table, week) })))
  const have = await sql<{ name: string }[]>`
    select relname as name from pg_class where relname = any(${wanted.map(one => one.name)}) and relispartition`
  const missing = wanted.filter(one => !have.some(({ name }) => name === one.name))
  for (const { table, week, name } of missing) {
    const [from, to] = [firstIdAt(week * WEEK_MS), firstIdAt((week + 1) * WEEK_MS)]
    // Where nobody made it in time, rows of that week lie in the default partition, and there they stay.
    const [late] = await sql`
      select from ${sql(`${table}_default`)} where run_id >= ${from} and run_id < ${to} limit 1`
    if (late) continue
    // "if not exists" alone still races with another tick; the loser's error means it is there.
    await sql
      .unsafe(
        `create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}')`,
      )
      .catch(ignoreExisting)
  }
  return missing.length
}

/**
 * Drops the week of steps that a run lies in, if no run needs it any more: each had its steps taken by retention.
 * Waits half a second at most for readers; the next call tries again. False when the week has to stay.
 */
export async function dropSpentWeek(sql: Sql, run_id: string, nowMs: number): Promise<boolean> {
  const week = weekOf(timeOf(run_id))
  if (week >= weekOf(nowMs)) return false
  const names = PARTITIONED.map(table => nameOf(table, week))
  const [from, to] = [firstIdAt(week * WEEK_MS), firstIdAt((week + 1) * WEEK_MS)]
  const [seen] = await sql<{ exists: boolean; needed: boolean }[]>`
    select to_regclass(${names[0]!}) is not null as exists,
      exists (select from runs where id >= ${from} and id < ${to} and steps_purged_at is null) as needed`
  if (!seen!.exists || seen!.needed) return false
  await sql.begin(async tx => {
    await tx`set local lock_timeout = '500ms'`
    for (const name of names) await tx.unsafe(`drop table if exists ${name}`)
    await tx`delete from purges where kind = 'steps' and run_id >= ${from} and run_id < ${to}`
  })
  return true
}

/** The start of the week a moment lies in. */
export const weekStart = (ms: number) => weekOf(ms) * WEEK_MS

const weekOf = (ms: number) => Math.floor(ms / WEEK_MS)

const nameOf = (table: string, week: number) =>
  `${table}_${new Date(week * WEEK_MS).toISOString().slice(0, 10).replaceAll('-', '')}`

function ignoreExisting(error: { code?: string }): void {
  const duplicates = ['42P07', '23505', '42710'] // duplicate_table, unique_violation, duplicate_object
  if (!duplicates.includes(error.code ?? '')) throw error
}
