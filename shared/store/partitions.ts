// Weekly partitions of `steps`, by run id: a run's steps lie in the partition of the week it was submitted in.

import type { Sql } from '../context.ts'
import { firstIdAt } from '../domain/ids.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const WEEKS_AHEAD = 2

/** Makes the partitions for this week and the next ones where they are missing; returns how many it made. */
export async function ensureStepPartitions(sql: Sql, nowMs: number): Promise<number> {
  const week = Math.floor(nowMs / WEEK_MS)
  const wanted = Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => week + i)
  const have = await sql<{ name: string }[]>`
    select relname as name from pg_class where relname = any(${wanted.map(nameOf)}) and relispartition`
  const missing = wanted.filter(one => !have.some(({ name }) => name === nameOf(one)))
  for (const one of missing) {
    const [from, to] = [firstIdAt(one * WEEK_MS), firstIdAt((one + 1) * WEEK_MS)]
    // Where nobody made it in time, steps of that week lie in the default partition, and there they stay.
    const [late] = await sql`select from steps_default where run_id >= ${from} and run_id < ${to} limit 1`
    if (late) continue
    // "if not exists" alone still races with another tick; the loser's error means it is there.
    await sql
      .unsafe(
        `create table if not exists ${nameOf(one)} partition of steps for values from ('${from}') to ('${to}')`,
      )
      .catch(ignoreExisting)
  }
  return missing.length
}

const nameOf = (week: number) =>
  `steps_${new Date(week * WEEK_MS).toISOString().slice(0, 10).replaceAll('-', '')}`

function ignoreExisting(error: { code?: string }): void {
  const duplicates = ['42P07', '23505', '42710'] // duplicate_table, unique_violation, duplicate_object
  if (!duplicates.includes(error.code ?? '')) throw error
}
