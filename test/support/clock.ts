// A database whose clock stands still until the test sets it; only clock_timestamp() advances, by a microsecond with
// each call. PostgreSQL looks into pg_catalog first unless the search path names it, so functions of these names before
// it are the clock of every statement of the product.

import postgres, { type Sql } from 'postgres'

/** Stops the clock of a database at `at`, for connections that are opened from now on. */
export async function stopClock(databaseUrl: string, at: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
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

export async function setClock(sql: Sql, at: string | Date): Promise<void> {
  await sql`update clock.stopped set at = ${at instanceof Date ? at.toISOString() : at}`
}
