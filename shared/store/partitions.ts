// Weekly partitions of the steps and of their search index, by run id: a run's steps lie in the partitions of the
// week it was submitted in. Guarantee: what makes and drops them waits for no lock, since whoever waits for one stands
// before all who read or write steps; it finds its moment at another tick.

import type { Sql } from '../context.ts'
import { firstIdAt, timeOf } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const WEEKS_AHEAD = 2
const PARTITIONED = ['steps', 'step_index'] as const
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Makes the partitions for this week and the next ones where they are missing; returns how many it made. One whose rows
 * lie in the default partition and are too many to move stays away, and so does one whose table somebody is at.
 */
export async function ensureStepPartitions(sql: Sql, nowMs: number): Promise<number> {
  const week = weekOf(nowMs)
  const weeks = Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => week + i)
  const wanted = PARTITIONED.flatMap(table => weeks.map(week => ({ table, week, name: nameOf(table, week) })))
  const have = await sql<{ name: string }[]>`
    select relname as name from pg_class where relname = any(${wanted.map(one => one.name)}) and relispartition`
  const missing = wanted.filter(one => !have.some(({ name }) => name === one.name))
  let made = 0
  for (const { table, week, name } of missing) {
    const [from, to] = [firstIdAt(week * WEEK_MS), firstIdAt((week + 1) * WEEK_MS)]
    // Where nobody made it in time, rows of that week lie in the default partition: few move, and many stay there.
    const ofWeek = `from ${table}_default where run_id >= '${from}' and run_id < '${to}'`
    if (await areMany(sql, ofWeek)) continue
    // Written to the partitions themselves, whose tables have no triggers: nothing of this is news to the search.
    const move = [
      `create temp table late on commit drop as select * ${ofWeek}`,
      `delete ${ofWeek}`,
      `create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`,
      `insert into ${name} select * from late`,
    ]
    // The table first, as all who write have it, and so does `create table`. More rows may have come until then.
    const isMade = withLocks(sql, [table, `${table}_default`], async tx => {
      if (await areMany(tx, ofWeek)) return false
      await tx.unsafe(move.join(';'))
      return true
    })
    // Another tick may make it meanwhile; the loser's error means it is there.
    if (await isMade.catch(ignoreExisting)) made++
  }
  return made
}

/** Whether more rows than a tick moves are found. */
async function areMany(sql: Sql, of: string): Promise<boolean> {
  const most = LIMITS.partition_moved_rows
  const [found] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from (select ${sql.unsafe(of)} limit ${most + 1}) found`
  return found!.rows > most
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
  const [seen] = await sql<{ there: string[]; needed: boolean }[]>`
    select array(select name from unnest(${names}::text[]) name where to_regclass(name) is not null) as there,
      exists (select from runs where id >= ${from} and id < ${to} and steps_purged_at is null) as needed`
  const { there, needed } = seen!
  if (there.length === 0 || needed) return false
  const tables = [...PARTITIONED, ...PARTITIONED.map(table => `${table}_default`), ...there]
  const isDropped = await withLocks(sql, tables, async tx => {
    await tx.unsafe(`drop table ${there.join(', ')}`)
    return true
  })
  if (!isDropped) return false
  await sql`delete from purges where kind = 'steps' and run_id >= ${from} and run_id < ${to}`
  return true
}

/** Changes tables if nobody is at them, else false; a partition's table and its default partition are locked with it. */
async function withLocks(
  sql: Sql,
  tables: readonly string[],
  change: (tx: Sql) => Promise<boolean>,
): Promise<boolean> {
  const locked = tables.map(table => `only ${table}`).join(', ')
  try {
    return (await sql.begin(async tx => {
      await tx.unsafe(`lock table ${locked} in access exclusive mode nowait`)
      return change(tx as unknown as Sql)
    })) as boolean
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

/** The start of the week a moment lies in. */
export const weekStart = (ms: number) => weekOf(ms) * WEEK_MS

const weekOf = (ms: number) => Math.floor(ms / WEEK_MS)

const nameOf = (table: string, week: number) =>
  `${table}_${new Date(week * WEEK_MS).toISOString().slice(0, 10).replaceAll('-', '')}`

function ignoreExisting(error: { code?: string }): false {
  const duplicates = ['42P07', '23505', '42710'] // duplicate_table, unique_violation, duplicate_object
  if (!duplicates.includes(error.code ?? '')) throw error
  return false
}
