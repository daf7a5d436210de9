// Watches inside PostgreSQL what no later snapshot could show: that a verdict was written once and never changed, that
// no lease was taken away before its time, and that nothing runs without one.

import type { Sql } from '../../../shared/context.ts'

export async function installAudit(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table audit_verdicts (run_id uuid, seq int, attempt int);
    create index on audit_verdicts (run_id, seq, attempt);
    create table audit_breaches (what text, run_id uuid, detail text);

    create function audit_item() returns trigger language plpgsql as $$
    begin
      if old.completed_at is not null then
        insert into audit_breaches values ('a recorded verdict was changed', new.run_id, new.seq || ' to ' || new.status);
      elsif new.completed_at is not null then
        insert into audit_verdicts values (new.run_id, new.seq, new.attempt);
        if old.status = 'running' and not exists (
          select from audit_leased l where l.run_id = new.run_id and l.seq = new.seq and l.attempt = new.attempt
        ) then
          insert into audit_breaches values ('a verdict without a lease', new.run_id, new.seq || ' by ' || new.attempt);
        end if;
      end if;
      return null;
    end $$;

    create table audit_leased (run_id uuid, seq int, attempt int, primary key (run_id, seq, attempt));
    create function audit_claim() returns trigger language plpgsql as $$
    begin
      -- What an agent answers later moves to a claim of its own, in the same attempt.
      if new.handed_from is not null then return null; end if;
      insert into audit_leased select new.run_id, s, a from unnest(new.seqs, new.attempts) as t(s, a);
      return null;
    exception when unique_violation then
      insert into audit_breaches values ('an attempt was leased twice', new.run_id, new.seqs::text);
      return null;
    end $$;

    create function audit_release() returns trigger language plpgsql as $$
    begin
      insert into audit_breaches
        select 'an item runs without a lease', i.run_id, i.seq || ' in attempt ' || i.attempt
        from items i, unnest(old.seqs, old.attempts) as t(s, a)
        where i.run_id = old.run_id and i.seq = t.s and i.attempt = t.a and i.status = 'running'
          and not exists (select from claims c, unnest(c.seqs, c.attempts) as h(s, a)
            where c.run_id = old.run_id and h.s = t.s and h.a = t.a);
      if old.lease_until <= now() then return null; end if;
      insert into audit_breaches
        select 'a lease was taken away before its time', l.run_id, l.seq::text
        from attempts l, unnest(old.seqs, old.attempts) as t(s, a)
        where l.run_id = old.run_id and l.seq = t.s and l.attempt = t.a and l.code in ('lease_lost', 'answer_never_came');
      return null;
    end $$;

    create constraint trigger audit_item after update on items deferrable initially deferred
      for each row execute function audit_item();
    create trigger audit_claim after insert on claims for each row execute function audit_claim();
    create constraint trigger audit_release after delete on claims deferrable initially deferred
      for each row execute function audit_release();
  `)
}

/** Everything that went wrong for a run, in words; empty when nothing did. */
export async function breachesOf(sql: Sql, runId: string): Promise<string[]> {
  const rows = await sql<{ words: string }[]>`
    select what || ': ' || detail as words from audit_breaches where run_id = ${runId}
    union all
    select 'item ' || seq || ' got ' || count(*) || ' verdicts' from audit_verdicts
      where run_id = ${runId} group by seq having count(*) > 1
    union all
    select 'item ' || i.seq || ' (' || i.status || ') has no recorded verdict' from items i
      where i.run_id = ${runId} and i.status <> 'paused' and not exists (
        select from audit_verdicts v where v.run_id = i.run_id and v.seq = i.seq and v.attempt = i.attempt)
    union all
    select 'step ' || key || ' of item ' || seq || ' is recorded ' || count(*) || ' times' from steps
      where run_id = ${runId} and error_code is null group by seq, key having count(*) > 1`
  return rows.map(row => row.words)
}
