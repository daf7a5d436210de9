// Compares two runs item by item. Items with the same item_id are the same, and a verdict that people corrected counts
// as they corrected it, as in results. Replays are runs of their own, and are compared as such.

import type { Sql } from '../../context.ts'
import type { RunRow } from '../../items/wire/runs.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { ChangeRow } from '../wire/compare.ts'

type Run = Pick<RunRow, 'project_id' | 'id'> &
  Partial<Pick<RunRow, 'replay_of' | 'recovery_id' | 'recovered'>>

/** Whether the newest verdicts of a run's items count, as in results: where one of the two is a replay, what each came to. */
const isNewest = (before: Run, after: Run) =>
  [before, after].every(run => (run.replay_of ?? run.recovery_id ?? null) === null)

/** The replays of a run's items, and the replays of those, each with the item that it descends from and its verdict. */
const repairedIn = (sql: Sql, name: string, { project_id, id, recovered = 0 }: Run, newest: boolean) => {
  const ofProject = sql`project_id = ${project_id}`
  const outcome = sql`coalesce((
    select t.corrected from triage t where t.project_id = ${project_id} and t.run_id = p.run_id and t.seq = p.seq), i.outcome)`
  const item = sql`cross join lateral (
    select outcome from items where ${ofProject} and run_id = p.run_id and seq = p.seq offset 0) i`
  return sql`${sql.unsafe(name)} as (
    select p.from_seq as root, p.run_id, p.seq, ${outcome} as outcome from replays p ${item}
    where p.project_id = ${project_id} and p.from_run_id = ${id} and ${newest && recovered > 0}
    union all
    select f.root, p.run_id, p.seq, ${outcome} from ${sql.unsafe(name)} f cross join lateral (
      select run_id, seq from replays where ${ofProject} and from_run_id = f.run_id and from_seq = f.seq offset 0) p ${item}
  )`
}

/** Every pair of verdicts that occurs and, if they differ, some of the items. The items of both runs are read once. */
export async function compareItems(sql: Sql, before: Run, after: Run) {
  const newest = isNewest(before, after)
  const verdict = (of: string) =>
    sql.unsafe(`case when ${of}.seq is null then 'absent' when ${of}.repaired then 'ok' when ${of}.status = 'paused' then 'held'
      -- What a budget did not let run did not fail.
      when ${of}.status = 'budget_exceeded' and ${of}.attempt = 0 then 'none'
      else coalesce(${of}.outcome::text, 'none') end`)
  // In the order of the later run, so that the same items are listed each time.
  const someOf = (of: string) =>
    sql`(array_agg(${sql.unsafe(of)}.seq order by coalesce(a.seq, b.seq))
          filter (where ${verdict('b')} <> ${verdict('a')}))[1:${sql.unsafe(String(LIMITS.compared_changes))}]`
  return sql<ChangeRow[]>`
    with recursive ${repairedIn(sql, 'before_repaired', before, newest)}, ${repairedIn(sql, 'after_repaired', after, newest)},
    changes as materialized (
      select ${verdict('b')} as before, ${verdict('a')} as after, count(*)::int as count,
        count(b.corrected)::int as before_corrected, count(a.corrected)::int as after_corrected,
        coalesce(sum(b.cost_micro), 0)::bigint as before_micro, coalesce(sum(a.cost_micro), 0)::bigint as after_micro,
        ${someOf('b')} as before_seqs, ${someOf('a')} as after_seqs
      from (${itemsOf(sql, before, 'before_repaired')}) b full join (${itemsOf(sql, after, 'after_repaired')}) a using (item_id)
      group by 1, 2
    )
    select c.before, c.after, c.count, c.before_corrected, c.after_corrected, c.before_micro, c.after_micro, coalesce((
      select json_agg(json_build_object('item_id', coalesce(a.item_id, b.item_id),
        'before_record_id', left(b.run_id::text, 28) || lpad(to_hex(b.seq), 8, '0'),
        'after_record_id', left(a.run_id::text, 28) || lpad(to_hex(a.seq), 8, '0'),
        'before_reason', case when c.before <> 'ok' then coalesce(b.outcome_reason::text, b.error_code) end,
        'after_reason', case when c.after <> 'ok' then coalesce(a.outcome_reason::text, a.error_code) end) order by n.at)
      from unnest(c.before_seqs, c.after_seqs) with ordinality as n(before_seq, after_seq, at)
      left join ${itemOf(sql, before, 'n.before_seq')} b on true
      left join ${itemOf(sql, after, 'n.after_seq')} a on true
    ), '[]') as items
    from changes c order by c.count desc, c.before, c.after`
}

/**
 * The items of a run with the verdicts that stand. Corrections are looked up in a hash table, and few are read by their
 * keys: where PostgreSQL expects a run to have few items, a join may read all corrections for each item.
 */
const itemsOf = (sql: Sql, { project_id, id }: Run, repaired: string) => sql`
  select seq, item_id, status, attempt, coalesce(corrected, outcome) as outcome, corrected, cost_micro,
    seq in (select root from ${sql.unsafe(repaired)} where outcome = 'ok') as repaired from (
    select i.seq, i.item_id, i.status, i.attempt, i.outcome, i.cost_micro, case when i.seq in (
        select seq from triage where project_id = ${project_id} and run_id = ${id} and corrected is not null)
      then (select corrected from triage where project_id = ${project_id} and run_id = ${id} and seq = i.seq) end as corrected
    from items i where i.project_id = ${project_id} and i.run_id = ${id} offset 0) i`

const itemOf = (sql: Sql, { project_id, id }: Run, seq: string) => sql`lateral (
  select * from items where project_id = ${project_id} and run_id = ${id} and seq = ${sql.unsafe(seq)} offset 0)`
