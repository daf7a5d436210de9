// What PostgreSQL was asked and what its sessions waited for. Guarantee: the bench's own sessions are left out.

import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../stack.ts'

/** What PostgreSQL must be started with. */
export const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all', // those within functions too
  'pg_stat_statements.track_planning': 'on',
}

export interface Statement {
  calls: number
  /** Planning and executing. */
  seconds: number
  planning: number
  rows: number
  wal: number
  /** Not sent by a client but by a function, a trigger or a foreign key. */
  nested: boolean
  text: string
}

export const beginStatements = async ({ sql }: Bench) => {
  await sql`create extension if not exists pg_stat_statements`
  await sql`select pg_stat_statements_reset()`
}

/** Those that took most of the time, the longest first. */
export const readStatements = ({ sql }: Bench, limit: number) => sql<Statement[]>`
  select calls::float8, (total_exec_time + total_plan_time) / 1000 as seconds, total_plan_time / 1000 as planning,
    rows::float8, wal_bytes::float8 as wal, not toplevel as nested, query as text
  from pg_stat_statements
  where query not like '%pg_stat_%' and query not like '%finished_at is not null as over%'
  order by total_exec_time + total_plan_time desc limit ${limit}`

export interface Wait {
  /** What a session was at: it worked, waited for something, or let a transaction wait for its client. */
  event: string
  text: string
  /** How many sessions were, on average. */
  sessions: number
}

const LOOK_MS = 10

/** Looks again and again at what the sessions of Assay are at, until it is ended. */
export function watchWaits({ sql }: Bench): { end(): Promise<Wait[]> } {
  const seen = new Map<string, { event: string; text: string; times: number }>()
  let looks = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const rows = await sql<{ event: string; text: string }[]>`
        select case when state like 'idle in %' then 'client, in a transaction'
          else coalesce(wait_event_type || ' ' || wait_event, 'at work') end as event, left(query, 2000) as text
        from pg_stat_activity
        where backend_type = 'client backend' and application_name <> 'bench' and state <> 'idle'`
      for (const { event, text: asked } of rows) {
        const text = asked.replaceAll(/'[^']*'/g, '$') // values stand in statements that are not prepared
        const key = `${event}\0${text}`
        const one = seen.get(key) ?? { event, text, times: 0 }
        seen.set(key, { ...one, times: one.times + 1 })
      }
      looks++
      await pause(LOOK_MS)
    }
  })()
  return {
    async end() {
      isOver = true
      await watching
      const waits = [...seen.values()].map(({ times, ...wait }) => ({ ...wait, sessions: times / looks }))
      return waits.sort((a, b) => b.sessions - a.sessions)
    },
  }
}

export interface BackendKind {
  pid: number
  kind: string
}

/** What each process of PostgreSQL is for. */
export const backendKinds = ({ sql }: Bench) => sql<BackendKind[]>`
  select pid, case when backend_type <> 'client backend' then backend_type
    when application_name = 'bench' then 'sessions of the bench' else 'sessions of Assay' end as kind
  from pg_stat_activity`
