// Measures the footprint of a load: bytes in PostgreSQL by table, bytes of its write-ahead log, commands of Redis,
// processor time by kind of process, connections.

import type { ChildProcess } from 'node:child_process'
import { Redis } from 'ioredis'
import { processorSeconds } from './proc.ts'
import type { Bench } from './stack.ts'

export type Kind = 'api' | 'consumer' | 'agent' | 'postgres' | 'redis' | 'pooler'

export const sumOf = (processes: readonly Pick<ChildProcess, 'pid'>[]) =>
  processes.reduce((sum, { pid }) => sum + processorSeconds(pid!), 0)

export async function walPosition({ sql }: Bench): Promise<number> {
  const [row] = await sql<{ at: number }[]>`select (pg_current_wal_lsn() - '0/0')::float8 as at`
  return row!.at
}

/** Commands that Redis has executed since it was started. */
export async function redisCommands({ redisUrl }: Bench): Promise<number> {
  const redis = new Redis(redisUrl)
  try {
    const info = await redis.info('stats')
    return Number(/^total_commands_processed:(\d+)/m.exec(info)![1])
  } finally {
    redis.disconnect()
  }
}

/** The number of client sessions of PostgreSQL. */
export async function sessions({ sql }: Bench): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where backend_type = 'client backend'`
  return row!.n
}

const LOOK_MS = 50

/** Samples which sessions wait for a lock, until it is ended. */
export function watchLocks({ sql }: Bench) {
  const seen = { waiting: 0, active: 0, looks: 0 }
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const [row] = await sql<{ waiting: number; active: number }[]>`
        select count(*) filter (where wait_event_type = 'Lock')::int as waiting, count(*)::int as active
        from pg_stat_activity
        where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid()`
      seen.waiting += row!.waiting
      seen.active += row!.active
      seen.looks++
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    }
  })()
  return {
    async end(): Promise<{ waiting: number; active: number }> {
      isOver = true
      await watching
      return { waiting: seen.waiting / seen.looks, active: seen.active / seen.looks }
    },
  }
}

export interface TableBytes {
  name: string
  rows: number
  heap: number
  indexes: number
  /** Bytes of values stored out of line (TOAST), with their free space map. */
  rest: number
}

/** Bytes of each table including its partitions, the largest first. */
export async function tableBytes({ sql }: Bench): Promise<TableBytes[]> {
  return sql<TableBytes[]>`
    select coalesce(parent.relname, c.relname) as name, sum(greatest(s.n_live_tup, 0))::float8 as rows,
      sum(pg_relation_size(c.oid))::float8 as heap, sum(pg_indexes_size(c.oid))::float8 as indexes,
      sum(pg_total_relation_size(c.oid) - pg_relation_size(c.oid) - pg_indexes_size(c.oid))::float8 as rest
    from pg_class c join pg_stat_user_tables s on s.relid = c.oid
      left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1 order by sum(pg_total_relation_size(c.oid)) desc`
}
