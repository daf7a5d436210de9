// Takes items of a run for dispatch. Guarantee: what may start is reckoned under the lock of the run's row and of its
// project's usage row, taken in that order, so caps are exact at every commit.
//
// Each taking is one message: it locks, then looks and takes with a snapshot from after the lock, and commits, without
// a word from the client in between. All claims and flushes of a project wait for these two rows, so nobody may hold
// them while a process that is busy with answers finds time for its next statement. Only a message without parameters
// carries several statements, hence the literals.

import { tightestBudget } from '../accounts/queries/budgets.ts'
import type { Sql } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import { OFFERED_ITEMS, PILOT_LEFT } from '../starts/queries/pilots.ts'

export interface ClaimedItem {
  claim_id: number
  seq: number
  attempt: number
  item_id: string
  partition_key: string | null
  input: string
  step_count: number
  cost_micro: number
  extra_budget_micro: number | null
  unpriced: boolean
  ran_ms: number
  agent_failures: number
  transport_failures: number
  alone: boolean
  /** How often one step of it was cut off because its consumer's time was over; null is never. */
  cuts: number | null
}

/** What a look at the run said, which the rows that are locked do not say again. */
export interface Taking {
  run_id: string
  project_id: string
  deployment_id: string
  lease_ms: number
  most: number
  /** The consumer has its time before it. */
  fresh: boolean
  agent_concurrency: number | null
  /** What an item is expected to cost; null while nothing is known. */
  expected_micro: number | null
}

/** How a claim chooses where partitions have a cap: so many items of each, looking so far ahead. */
export interface Shares {
  per_partition: number
  lookahead: number
}

/** Takes the next items at the run's cursor. */
export function takeRange(sql: Sql, taking: Taking) {
  const last = 'least(next_seq + room - 1, total_items)'
  return take(
    sql,
    taking,
    `taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, now())
      where run_id = ${uuid(taking.run_id)} and status = 'queued'
        and seq between (select next_seq from run) and (select ${last} from run)
      returning ${TAKEN}, false as alone, null::smallint as cuts
    ), moved as (select ${last} + 1 as next_seq from run)`,
  )
}

/** Takes items that are due again, within the caps of partitions. */
export function takeDue(sql: Sql, taking: Taking, shares?: Shares) {
  const runId = uuid(taking.run_id)
  const due = (limit: string) =>
    `select seq, due_at from due_items where run_id = ${runId} and due_at <= now() ${taking.fresh ? '' : 'and cuts is null'}
      order by due_at limit ${limit}`
  const room = '(select room from run)'
  const chosen = !shares
    ? `select seq from (${due(room)}) d`
    : `select seq from (
        select d.seq, d.due_at, i.partition_key,
          row_number() over (partition by i.partition_key order by d.due_at, d.seq) as nth
        from (${due(number(shares.lookahead))}) d join items i on i.run_id = ${runId} and i.seq = d.seq) ranked
        left join (${busy(taking)}) busy using (partition_key)
      where partition_key is null or nth <= ${number(shares.per_partition)} - coalesce(busy.n, 0)
      order by due_at limit ${room}`
  return take(
    sql,
    taking,
    `due as (
      delete from due_items where run_id = ${runId} and seq = any(array(${chosen})) and exists (select from run)
      returning seq, alone, cuts
    ), taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, now())
      from due
      where i.run_id = ${runId} and i.seq = any(array(select seq from due)) and i.seq = due.seq
        and i.status = 'queued'
      returning ${TAKEN}, due.alone, due.cuts
    ), moved as (select next_seq from run)`,
  )
}

/**
 * Takes items from a window at the cursor, no more of a partition than its cap over the whole project leaves. The
 * cursor moves only over items that are no longer queued.
 */
export function takeFair(sql: Sql, taking: Taking, shares: Shares) {
  const runId = uuid(taking.run_id)
  return take(
    sql,
    taking,
    `busy as (${busy(taking)}), near as (
      select seq, partition_key from items
      where run_id = ${runId} and seq between (select next_seq from run) and (select total_items from run)
        and status = 'queued'
        and not exists (select from due_items d where d.run_id = ${runId} and d.seq = items.seq)
      order by seq limit ${number(shares.lookahead)}
    ), ranked as (
      select seq, partition_key, row_number() over (partition by partition_key order by seq) as nth from near
    ), chosen as (
      select seq from ranked left join busy using (partition_key)
      where ranked.partition_key is null or nth <= ${number(shares.per_partition)} - coalesce(busy.n, 0)
      order by seq limit (select room from run)
    ), taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, now())
      where run_id = ${runId} and seq = any(array(select seq from chosen)) and status = 'queued'
      returning ${TAKEN}, false as alone, null::smallint as cuts
    ), moved as (
      select coalesce((select min(seq) from near where seq not in (select seq from taken)),
        (select max(seq) + 1 from near), total_items + 1) as next_seq
      from run
    )`,
  )
}

export const TAKEN = `i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro, i.unpriced,
  i.ran_ms, i.agent_failures, i.transport_failures`

/** Items of each partition in flight, over all runs of the project. */
const busy = ({ project_id }: Taking) => `
  select i.partition_key, count(*) as n
  from claims c, unnest(c.seqs) as s(seq), items i
  where c.project_id = ${uuid(project_id)} and i.run_id = c.run_id and i.seq = s.seq and i.status = 'running'
  group by 1`

/**
 * Locks, and then lets `taken` take within the room of `run`, which has no row when the run has ended, was stopped or
 * runs another deployment meanwhile. Counts what was taken, moves the cursor, fixes the deployment, writes the lease.
 */
async function take(sql: Sql, taking: Taking, taken: string): Promise<ClaimedItem[]> {
  const [runId, deploymentId] = [uuid(taking.run_id), uuid(taking.deployment_id)]
  const message = `
    select from runs r join project_usage u using (project_id) where r.id = ${runId} for no key update of r, u;
    with run as materialized (
      select r.id, r.project_id, r.next_seq, ${OFFERED_ITEMS} as total_items, ${roomIn(taking)} as room
      from runs r join project_usage u using (project_id) join projects p on p.id = r.project_id
      where r.id = ${runId} and r.finished_at is null and r.stop_reason is null and not r.materializing
        and coalesce(r.deployment_id, ${deploymentId}) = ${deploymentId}
    ), ${taken}, n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = now(),
        started_at = case when n.n > 0 then coalesce(r.started_at, now()) else r.started_at end,
        deployment_id = ${deploymentId}
      from n, moved where r.id = ${runId}
    ), used as (
      update project_usage set running = running + n.n from n, run where project_usage.project_id = run.project_id
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select ${runId}, ${uuid(taking.project_id)}, array_agg(seq), array_agg(attempt),
        now() + make_interval(secs => ${number(taking.lease_ms / 1000)})
      from taken having count(*) > 0 returning id
    )
    select c.id as claim_id, taken.* from taken, claim c`
  const [, items] = (await sql.unsafe(message)) as unknown as [unknown, ClaimedItem[]]
  return items
}

/** `admit` of the domain, once more, by the rows that are locked. */
function roomIn({ most, agent_concurrency, expected_micro }: Taking): string {
  const project = `coalesce((p.settings->>'concurrency')::int, ${number(LIMITS.project_concurrency)})`
  return `greatest(0, least(${number(most)}, r.concurrency - r.running, ${number(agent_concurrency)} - r.running,
    ${project} - u.running, ${affordable('r.budget_micro', 'r.cost_micro', 'r.running', expected_micro)},
    ${affordable('p.credit_micro', 'u.spent_micro', 'u.running', expected_micro)},
    ${tightestBudget((...of) => affordable(...of, expected_micro))}, case when r.waits_for_price then 0 end,
    ${PILOT_LEFT}))::int`
}

/** Null where money bounds nothing, which `least` passes over. */
function affordable(bound: string, spent: string, running: string, expected: number | null): string {
  const left =
    expected === null
      ? `greatest(0, ${number(LIMITS.budget_probe_items)} - ${running})`
      : `greatest((${bound} - ${spent}) / nullif(${number(expected)}, 0) - ${running}, (${running} = 0)::int)`
  return `case when ${bound} is null then null when ${spent} >= ${bound} then 0 
    ${expected === 0 ? '' : `else ${left}`} end`
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @throws Error when it is none: nothing else may become part of a statement */
function uuid(value: string): string {
  if (!UUID.test(value)) throw new Error(`${value} is not an id`)
  return `'${value}'::uuid`
}

function number(value: number | null): string {
  if (value === null) return 'null::int'
  if (!Number.isFinite(value)) throw new Error(`${value} is not a number`)
  return String(value)
}
