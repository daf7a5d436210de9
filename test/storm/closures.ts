// Notes when an upstream was found to serve nobody, to find those that nothing had struck: only poisonous items among
// others.

import type { Sql } from '../../shared/context.ts'
import type { UpstreamKind } from '../../shared/upstreams/vocabulary.ts'

export interface Window {
  from: number
  to: number
}
/** When a fault refused everybody, in milliseconds since the epoch, by the kind of upstream that it was. */
export type Struck = Record<UpstreamKind, Window[]>

export interface Closure {
  kind: UpstreamKind
  at_ms: number
}

/** What was under way when the fault ended may be reported this much later. */
const LATE_MS = 3000

export const closedWrongly = (closures: readonly Closure[], struck: Struck): Closure[] =>
  closures.filter(
    ({ kind, at_ms }) => !struck[kind].some(({ from, to }) => at_ms >= from && at_ms <= to + LATE_MS),
  )

export async function installClosures(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table audit_closures (kind text, at timestamptz);
    create function audit_closure() returns trigger language plpgsql as $$
    begin
      if new.state <> 'open' and (tg_op = 'INSERT' or old.state = 'open') then
        insert into audit_closures values (new.kind, clock_timestamp());
      end if;
      return null;
    end $$;
    create trigger audit_closure after insert or update on upstreams for each row execute function audit_closure()`)
}

export const closuresSince = (sql: Sql, since: Date) => sql<Closure[]>`
  select kind, (extract(epoch from at) * 1000)::float8 as at_ms from audit_closures where at >= ${since}`
