// Weekly partitions of the steps and of their search index, by run id: a run's steps lie in the partitions of the
// week it was submitted in.

import type { Sql } from '../context.ts'
import { firstIdAt } from '../domain/ids.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const WEEKS_AHEAD = 2
const PARTITIONED = ['steps', 'step_index'] as const

/** Makes the partitions for this week and the next ones where they are missing; returns how many it made. */
export async function ensureStepPartitions(sql: Sql, nowMs: number): Promise<number> {
  const week = Math.floor(nowMs / WEEK_MS)
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
 * Drops the oldest week of steps that no run needs any more: each of its runs has had its steps taken by retention.
 * Waits half a second at most for readers; the next call tries again. Returns the partitions it dropped.
 */
export async function dropSpentPartitions(sql: Sql, nowMs: number): Promise<number> {
  const current = nameOf('steps', Math.floor(nowMs / WEEK_MS))
  const [oldest] = await sql<{ name: string }[]>`
    select relname as name from pg_class where relispartition and relname ~ '^steps_[0-9]{8}$' and relname < ${current}
    order by relname limit 1`
  if (oldest === undefined) return 0
  const week = Date.parse(oldest.name.slice(6).replace(/(....)(..)(..)/, '$1-$2-$3')) / WEEK_MS
  const [from, to] = [firstIdAt(week * WEEK_MS), firstIdAt((week + 1) * WEEK_MS)]
  const [needed] = await sql`
    select from runs where id >= ${from} and id < ${to} and steps_purged_at is null limit 1`
  if (needed) return 0
  await sql.begin(async tx => {
    await tx`set local lock_timeout = '500ms'`
    for (const table of PARTITIONED) await tx.unsafe(`drop table if exists ${nameOf(table, week)}`)
    await tx`delete from purges where kind = 'steps' and run_id >= ${from} and run_id < ${to}`
  })
  return PARTITIONED.length
}

const nameOf = (table: string, week: number) =>
  `${table}_${new Date(week * WEEK_MS).toISOString().slice(0, 10).replaceAll('-', '')}`

function ignoreExisting(error: { code?: string }): void {
  const duplicates = ['42P07', '23505', '42710'] // duplicate_table, unique_violation, duplicate_object
  if (!duplicates.includes(error.code ?? '')) throw error
}
