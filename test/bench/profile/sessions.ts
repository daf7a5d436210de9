// Measures which statements PostgreSQL executed and what its sessions waited for. Guarantee: the bench's own sessions are
// left out.

import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../stack.ts'

/** The settings with which PostgreSQL must be started. */
export const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all', // includes statements within functions
  'pg_stat_statements.track_planning': 'on',
}

export interface Statement {
  calls: number
  /** Time for planning and executing. */
  seconds: number
  planning: number
  rows: number
  wal: number
  /** Whether a function, a trigger or a foreign key executed it, and not a client. */
  nested: boolean
  text: string
}

export const beginStatements = async ({ sql }: Bench) => {
  await sql`create extension if not exists pg_stat_statements`
  await sql`select pg_stat_statements_reset()`
}

/** The statements that took the most time, in descending order. */
export const readStatements = ({ sql }: Bench, limit: number) => sql<Statement[]>`
  select calls::float8, (total_exec_time + total_plan_time) / 1000 as seconds, total_plan_time / 1000 as planning,
    rows::float8, wal_bytes::float8 as wal, not toplevel as nested, query as text
  from pg_stat_statements
  where query not like '%pg_stat_%' and query not like '%finished_at is not null as over%'
  order by total_exec_time + total_plan_time desc limit ${limit}`

export interface Wait {
  /** The state of a session: it worked, waited for something, or waited for its client within a transaction. */
  event: string
  text: string
  /** The average number of sessions in this state. */
  sessions: number
}

const LOOK_MS = 10

/** Samples the states of the sessions of Assay, until it is ended. */
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
        const text = asked.replaceAll(/'[^']*'/g, '$') // statements that are not prepared contain their values
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

/** The purpose of each process of PostgreSQL. */
export const backendKinds = ({ sql }: Bench) => sql<BackendKind[]>`
  select pid, case when backend_type <> 'client backend' then backend_type
    when application_name = 'bench' then 'sessions of the bench' else 'sessions of Assay' end as kind
  from pg_stat_activity`
