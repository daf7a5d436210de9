// SQL about items whose agents answer later: they are held under claims of their own, which the agents renew.
// Guarantee: an item is under one claim at a time, and a statement sent again after a lost connection changes nothing.

import type { ClaimedItem } from '../../claims/queries/claim.ts'
import { deleteClaims } from '../../claims/queries/leases.ts'
import { TAKEN } from '../../claims/queries/take-functions.ts'
import type { Sql } from '../../context.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import type { Outcome, StepKind } from '../../items/vocabulary.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'
import { hasSeq, numbers } from '../../kernel/packed-columns.ts'
import type { FlushClaims } from '../../settling/queries/flush-claims.ts'

/** The claim that items were sent under. */
export interface SentClaim {
  run_id: string
  claim_id: number
}

/** A request as its agent names it: all items of a claim from `first_seq` to `last_seq`. */
export interface SentRequest extends SentClaim {
  first_seq: number
  last_seq: number
  /** When it began, by its consumer's clock. */
  started_ms: number
}

/** A request of which items are still held, with its project, which its address does not name. */
export interface HeldRequest extends SentRequest, RunKey {}

export interface HandOver extends SentClaim, RunKey {
  items: readonly { seq: number; attempt: number }[]
  /** Milliseconds from now until the items must have ended. */
  within_ms: number
}

/** Moves items of one request to a claim of their own. If their claim was lost meanwhile, nothing is moved. */
export async function handOver(sql: Sql, order: HandOver, { closed }: FlushClaims): Promise<void> {
  const seqs = sql`${numbers(order.items.map(item => item.seq))}::text::int[]`
  const ending = sql`${numbers(closed)}::text::bigint[]`
  await sql`
    with sent as materialized (
      select id, run_id, project_id, seqs, attempts from claims
      where project_id = ${order.project_id} and id = ${order.claim_id} for update
    ), item as materialized (
      select s.seq, s.attempt, s.seq = any(${seqs}) as is_handed from sent, unnest(seqs, attempts) as s(seq, attempt)
    ), handed as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until, handed_from, answer_until)
      select sent.run_id, sent.project_id, array_agg(item.seq), array_agg(item.attempt),
        now() + make_interval(secs => ${LIMITS.lease_ms / 1000}), sent.id,
        now() + make_interval(secs => ${order.within_ms / 1000})
      from sent, item where item.is_handed group by sent.run_id, sent.project_id, sent.id returning id
    ), kept as (
      update claims c set seqs = left_over.seqs, attempts = left_over.attempts
      from (select coalesce(array_agg(seq), '{}') as seqs, coalesce(array_agg(attempt), '{}') as attempts
        from item where not is_handed) left_over
      where c.project_id = ${order.project_id} and c.id = (select id from sent) and c.id <> all(${ending})
    )
    -- Waits for handed, because the statement cannot lock a row that it has deleted already.
    ${deleteClaims(sql, order.project_id, closed, sql`and (select count(*) from handed) >= 0`)}`
}

/** An item in flight, under the claim it was sent under or under the one it was handed over to. */
export interface HandedItem {
  seq: number
  attempt: number
  /** Its consumer has let go of it. */
  handed: boolean
  /** Its time is over. */
  late: boolean
}

/** Condition on the claims that items of this request were handed over to. */
const handedOf = (sql: Sql, { run_id, claim_id, first_seq, last_seq }: SentRequest) =>
  sql`run_id = ${run_id} and handed_from = ${claim_id} and seqs[1] between ${first_seq} and ${last_seq}`

/** Renews leases on handed-over items, unless their time is over; returns the project, undefined if none are left. */
export async function renewHanded(sql: Sql, sent: SentRequest): Promise<string | undefined> {
  const [found] = await sql<{ project_id: string }[]>`
    select project_id from claims where ${handedOf(sql, sent)} limit 1`
  if (!found) return undefined
  const { project_id } = found
  const held = lockedIds(sql, 'claims', sql`project_id = ${project_id} and ${handedOf(sql, sent)}`)
  const { count } = await sql`
    update claims set heard_at = now(), lease_until = case when answer_until < clock.at then lease_until
      else greatest(lease_until, clock.until) end
    from (select now() as at, now() + make_interval(secs => ${LIMITS.lease_ms / 1000}) as until) clock
    where project_id = ${project_id} and id = any(${held})`
  return count > 0 ? project_id : undefined
}

/**
 * The item that a claim `c` holds as `s`, looked up by its key. Where PostgreSQL expects a run to have few items, a join
 * may read them all for each item of the claim.
 */
const runningItem = (sql: Sql, project_id: string) => sql`lateral (
  select * from items where project_id = ${project_id} and run_id = c.run_id and seq = s.seq and attempt = s.attempt
    and status = 'running' offset 0)`

/** Whether the consumer that sent the items still holds any of them. */
export async function isHeldByConsumer(sql: Sql, sent: SentRequest): Promise<boolean> {
  const rows = await sql`
    select 1 from claims c, unnest(c.seqs, c.attempts) as s(seq, attempt), items i
    where c.id = ${sent.claim_id} and c.run_id = ${sent.run_id}
      and s.seq between ${sent.first_seq} and ${sent.last_seq}
      and i.project_id = c.project_id and i.run_id = c.run_id and i.seq = s.seq and i.attempt = s.attempt and i.status = 'running' limit 1`
  return rows.length > 0
}

/** The items of a request that are still in flight; ends handed-over claims that hold no items any more. */
export async function findHanded(sql: Sql, sent: HeldRequest): Promise<HandedItem[]> {
  const { project_id, run_id, claim_id, first_seq, last_seq } = sent
  return sql<HandedItem[]>`
    with open as materialized (
      select c.id, i.seq, i.attempt, c.handed_from is not null as handed,
        coalesce(c.answer_until < now(), false) as late
      from claims c, unnest(c.seqs, c.attempts) as s(seq, attempt), ${runningItem(sql, project_id)} i
      where c.project_id = ${project_id} and c.run_id = ${run_id} and (c.handed_from = ${claim_id} or c.id = ${claim_id})
        and s.seq between ${first_seq} and ${last_seq}
    ), ended as (
      delete from claims where project_id = ${project_id} and id in (
        select id from claims where project_id = ${project_id} and ${handedOf(sql, sent)} and id not in (select id from open) order by id for update)
    )
    select seq, attempt, handed, late from open order by seq`
}

/** The handed-over items among `seqs`, as they were claimed, with the claim that holds each. */
export async function findHandedItems(
  sql: Sql,
  { project_id, run_id, claim_id }: HeldRequest,
  seqs: readonly number[],
) {
  return sql<ClaimedItem[]>`
    select c.id as claim_id, ${sql.unsafe(TAKEN)}, null::smallint as together, null::smallint as cuts
    from claims c, unnest(c.seqs, c.attempts) as s(seq, attempt), ${runningItem(sql, project_id)} i
    where c.project_id = ${project_id} and c.run_id = ${run_id} and c.handed_from = ${claim_id}
      and s.seq = any(${numbers(seqs)}::text::int[])`
}

/** Those of these items whose agents were to answer later and too often sent nothing at all. */
export async function findUnanswered(sql: Sql, { project_id, run_id }: RunKey, seqs: readonly number[]) {
  const rows = await sql<{ seq: number }[]>`
    select a.seq from attempts a
    where a.project_id = ${project_id} and a.run_id = ${run_id} and ${hasSeq(sql, 'a', seqs)}
      and code = 'answer_never_came'
    group by a.seq having count(*) >= ${LIMITS.unanswered_attempts}`
  return rows.map(row => row.seq)
}

/** A step that is recorded already; its output is not needed any more. */
export interface ReportedStep {
  seq: number
  key: string
  kind: StepKind
  outcome: Outcome
  outcome_reason: OutcomeReason | null
  reused: boolean
  output: null
  /** Recorded in this attempt of its item, and not in an earlier one. */
  now: boolean
}

/** The steps that items' verdicts depend on: those of this attempt, and those of earlier ones that succeeded. */
export async function findReportedSteps(sql: Sql, { project_id, run_id }: RunKey, seqs: readonly number[]) {
  return sql<ReportedStep[]>`
    select s.seq, s.key, s.kind, s.outcome, s.outcome_reason, s.reused, null as output, s.attempt = i.attempt as now
    from items i cross join lateral (
      select * from steps where project_id = ${project_id} and run_id = ${run_id} and seq = i.seq offset 0) s
    where i.project_id = ${project_id} and i.run_id = ${run_id} and ${hasSeq(sql, 'i', seqs)}
      and (s.error_code is null or s.attempt = i.attempt)
    order by s.seq, s.step_no`
}
