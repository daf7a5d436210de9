// A database whose clock stands still until the test sets it; only clock_timestamp() advances, by a microsecond with
// each call. PostgreSQL looks into pg_catalog first unless the search path names it, so functions of these names before
// it are the clock of every statement of the product. On a cluster each node has its own, all with the same time.

import postgres, { type Sql } from 'postgres'
import { inject } from 'vitest'
import { CLUSTER } from './on-cluster.ts'

/** Stops the clock of a database at `at`, for connections that are opened from now on. */
export async function stopClock(databaseUrl: string, at: string): Promise<void> {
  const { nodes } = inject('stores')
  for (const node of nodes.length > 0 ? nodes : [databaseUrl]) {
    const url = new URL(node)
    url.pathname = new URL(databaseUrl).pathname
    const sql = postgres(url.href, { max: 1, onnotice: () => {} })
    if (nodes.length > 0) await sql`set citus.enable_ddl_propagation = off`
    await sql.unsafe(`
      create schema clock;
      create table clock.stopped as select timestamptz '${at}' as at;
      create function clock.now() returns timestamptz language sql stable as 'select at from clock.stopped';
      create sequence clock.asked;
      create function clock.clock_timestamp() returns timestamptz language sql
        as $$ select at + nextval('clock.asked') * interval '1 microsecond' from clock.stopped $$;
      do $$ begin
        execute format('alter database %I set search_path = clock, public, pg_catalog', current_database());
      end $$`)
    await sql.end()
  }
}

export async function setClock(sql: Sql, at: string | Date): Promise<void> {
  const time = at instanceof Date ? at.toISOString() : at
  if (CLUSTER === undefined) await sql`update clock.stopped set at = ${time}`
  else {
    const set = `update clock.stopped set at = '${time}'`
    const nodes = await sql`select success, result from run_command_on_all_nodes(${set})`
    const failed = nodes.find(({ success }) => !success)
    if (failed) throw new Error(`the clock of a node was not set: ${failed.result}`)
  }
}
