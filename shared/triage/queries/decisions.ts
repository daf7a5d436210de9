// Writes decisions about items. Guarantee: a decision is one statement under the lock of the item's run. It also
// updates the run's count of undecided items, from which the run's status follows.

import type { Sql } from '../../context.ts'
import { projectOf, rowsOfKeys } from '../../items/queries/item-keys.ts'
import {
  become,
  CLOCK,
  countMoves,
  DUE_OF_ENDED,
  dispositionOf,
  guard,
} from '../../items/queries/transitions.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { CALLED_WRONG } from '../rules/verdicts.ts'
import type { WrongOf } from '../vocabulary.ts'
import { countJudged, isVerdict, says, uncountJudged } from './verdicts.ts'

/** The items to decide about, and their runs, locked in the order of their ids. */
const chosen = (sql: Sql, keys: readonly ItemKey[]) => sql`
  chosen as (
    select ${projectOf(keys)}::uuid as project_id, k.run_id, k.seq from ${rowsOfKeys(sql, keys)}
  ), run as materialized (
    select id, deployment_id, stop_reason is null and finished_at is null as goes_on from runs
    where project_id = ${projectOf(keys)} and id = any(${[...new Set(keys.map(key => key.run_id))]}::uuid[])
    order by id for no key update
  )`

/** Takes rows out of the feed; their items stay undecided. Returns how many rows were in the feed. */
export async function acknowledge(
  sql: Sql,
  keys: readonly ItemKey[],
  by: string | null = null,
): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    with ${chosen(sql, keys)}, acknowledged as (
      update triage t set disposition = 'acknowledged', decided_at = now(), decided_by = ${by} from run, chosen k
      where t.project_id = ${projectOf(keys)} and t.run_id = run.id and k.run_id = run.id and t.seq = k.seq and t.disposition is null
      returning t.seq
    )
    select count(*)::int as n from acknowledged`
  return row!.n
}

/** A decision that ends an item's wait for good. `one_by_one`: a person looked at this single item. */
export type Ending =
  | { as: 'dismissed'; one_by_one: boolean }
  | { as: 'wrong'; of: WrongOf }
  | { as: 'confirmed' }

/** For each decision: which rows accept it, whether it judges their verdict, and the corrected verdict it sets. */
const ENDINGS = {
  dismissed: (sql: Sql) => ({ accepts: sql`true`, judges: isVerdict(sql), corrected: sql`t.corrected` }),
  wrong: (sql: Sql, of: WrongOf) => ({
    accepts: says(sql, of),
    judges: sql`true`,
    corrected: sql`case when t.lane = 'dlq' then 'ok'::outcome end`,
  }),
  confirmed: (sql: Sql) => ({
    accepts: says(sql, 'question'),
    judges: sql`true`,
    corrected: sql`'degraded'::outcome`,
  }),
}

/**
 * Decides that nothing more is done about items; held items thereby end as cancelled. Returns how many items accepted
 * the decision and had none before, except an acknowledgement.
 */
export async function endWaiting(
  sql: Sql,
  keys: readonly ItemKey[],
  ending: Ending,
  by: string | null = null,
): Promise<number> {
  const { accepts, judges, corrected } =
    ending.as === 'wrong' ? ENDINGS.wrong(sql, ending.of) : ENDINGS[ending.as](sql)
  const looked = ending.as !== 'dismissed' || ending.one_by_one
  const [row] = await sql<{ n: number }[]>`
    with ${chosen(sql, keys)}, decided as (
      update triage t set disposition = ${ending.as}, decided_at = now(), decided_by = ${by}, judged = ${looked} and ${judges},
        corrected = ${corrected}
      from run, chosen k join triage was on was.project_id = ${projectOf(keys)} and was.run_id = k.run_id and was.seq = k.seq
      where t.project_id = ${projectOf(keys)} and t.run_id = run.id and k.run_id = run.id and t.seq = k.seq
        and (t.disposition is null or t.disposition = 'acknowledged') and ${accepts}
      -- An item that was judged already is not counted again: the previous version takes decisions back without clearing it.
      returning t.run_id, t.seq, t.lane, t.project_id, t.agent_id, t.reason, t.disposition,
        t.judged and not was.judged as judged
    ), ${countJudged(sql)}, ended as (
      update items i set ${sql.unsafe(become('dismiss'))} from decided d
      where i.project_id = ${projectOf(keys)} and i.run_id = d.run_id and i.seq = d.seq and ${sql.unsafe(guard('dismiss'))}
        and d.lane = 'quarantine'
      returning i.run_id
    ), n as (
      select run_id, sum(decided)::int as decided, sum(ended)::int as ended, bool_or(was_unpriced) as was_unpriced
      from (
        select run_id, (lane = 'dlq')::int as decided, 0 as ended,
          lane = 'quarantine' and reason = 'unpriced_model' as was_unpriced from decided
        union all select run_id, 0, 1, false from ended
      ) of_run group by 1
    ), counted as (
      update runs r set ${sql.unsafe(countMoves({ decide: 'n.decided', dismiss: 'n.ended' }))},
        -- A run with a call that no price covers waits for decisions about the items held for it; after the last, it waits no more.
        waits_for_price = r.waits_for_price and not (r.unpriced_model is not distinct from '' and n.was_unpriced and not exists (
          select 1 from triage t join items i on i.project_id = t.project_id and i.run_id = t.run_id and i.seq = t.seq
          where t.project_id = r.project_id and t.run_id = r.id and t.lane = 'quarantine' and t.reason = 'unpriced_model' and ${sql.unsafe(guard('resume'))}
            and not exists (select 1 from decided d where d.run_id = t.run_id and d.seq = t.seq)))
      from n, ${sql.unsafe(CLOCK)} where r.project_id = ${projectOf(keys)} and r.id = n.run_id returning r.project_id, r.id, r.finished_at
    ), cleared as (delete from due_items where project_id = ${projectOf(keys)} and ${sql.unsafe(DUE_OF_ENDED)})
    select count(*)::int as n from decided`
  return row!.n
}

/** Puts an item back into the feed; the caller holds the lock of its run. False when it is too late to undo. */
export async function reopen(sql: Sql, { project_id, run_id, seq }: ItemKey): Promise<boolean> {
  const [row] = await sql<{ n: number }[]>`
    with known as (
      select t.seq, t.lane, t.disposition, t.judged as was_judged, (t.decided_at at time zone 'UTC')::date as day
      from triage t join items i on i.project_id = t.project_id and i.run_id = t.run_id and i.seq = t.seq
      where t.project_id = ${project_id} and t.run_id = ${run_id} and t.seq = ${seq}
        and t.disposition in ('acknowledged', 'dismissed', 'wrong', 'confirmed')
        and (t.lane <> 'quarantine' or ${sql.unsafe(guard('resume'))})
    ), reopened as (
      update triage t set disposition = null, decided_at = null, decided_by = null, judged = false,
        corrected = case when t.lane = 'review' and t.reason = ${CALLED_WRONG} then 'degraded'::outcome end
      from known k where t.project_id = ${project_id} and t.run_id = ${run_id} and t.seq = k.seq and t.disposition = k.disposition
      returning t.project_id, t.agent_id, t.reason, k.disposition, k.was_judged, k.day,
        k.lane = 'dlq' and k.disposition in ('dismissed', 'wrong') as undecides
    ), ${uncountJudged(sql)}, counted as (
      update runs r set ${sql.unsafe(countMoves({ reopen: 'n.n' }))}
      from (select count(*)::int as n from reopened where undecides) n
      where r.project_id = ${project_id} and r.id = ${run_id} and n.n > 0
    )
    select count(*)::int as n from reopened`
  return (row?.n ?? 0) > 0
}

/**
 * Queues held items again, each with `extraMicro` more budget. Without it, an item held at its budget gets its declared
 * budget once more. Returns how many items were held in a run that is neither stopped nor finished.
 */
export async function resume(
  sql: Sql,
  keys: readonly ItemKey[],
  extraMicro: number | null = null,
  by: string | null = null,
): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    with ${chosen(sql, keys)}, resumed as (
      update items i set ${sql.unsafe(become('resume'))},
        extra_budget_micro = case when granted.micro is null then i.extra_budget_micro
          else coalesce(i.extra_budget_micro, 0) + granted.micro end
      from chosen k
        join run on run.id = k.run_id and run.goes_on
        join triage t on t.project_id = ${projectOf(keys)} and t.run_id = k.run_id and t.seq = k.seq
        join items held on held.project_id = ${projectOf(keys)} and held.run_id = k.run_id and held.seq = k.seq
        left join deployments d on d.project_id = ${projectOf(keys)} and d.id = run.deployment_id, lateral (
          select coalesce(${extraMicro}::bigint, case when held.outcome_reason = 'budget_exceeded'
            then ((d.declaration->>'item_budget_cents')::numeric * 10000)::bigint end) as micro
        ) granted
      where i.project_id = ${projectOf(keys)} and i.run_id = k.run_id and i.seq = k.seq and ${sql.unsafe(guard('resume'))}
        and t.lane = 'quarantine' and t.disposition is distinct from 'resumed'
      returning i.project_id, i.run_id, i.seq, t.reason = 'unpriced_model' as was_unpriced
    ), decided as (
      update triage t set disposition = ${sql.unsafe(dispositionOf('resume'))}, decided_at = now(), decided_by = ${by}
      from resumed
      where t.project_id = ${projectOf(keys)} and t.run_id = resumed.run_id and t.seq = resumed.seq
    ), due as (
      insert into due_items (project_id, run_id, seq, due_at) select project_id, run_id, seq, now() from resumed on conflict do nothing
    ), n as (
      select run_id, count(*)::int as n, bool_or(was_unpriced) as was_unpriced from resumed group by 1
    ), counted as (
      -- Resuming an item that waits for a price allows calls without a price for the whole run.
      update runs r set ${sql.unsafe(countMoves({ resume: 'n.n' }))}, touched_at = now(),
        allow_unpriced = r.allow_unpriced or n.was_unpriced,
        waits_for_price = r.waits_for_price and not n.was_unpriced
      from n where r.project_id = ${projectOf(keys)} and r.id = n.run_id
    )
    select count(*)::int as n from resumed`
  return row!.n
}
