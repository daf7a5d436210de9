// Reads and writes causes. Triggers on `triage` maintain their counts, so a read costs as much as a project has causes
// (a bounded number), however many items have failed.

import type { Sql } from '../../context.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import type { AgentKey, RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { numbers, texts } from '../../kernel/packed-columns.ts'
import { type CauseKind, type CauseText, causeTitle, messageOf, type NamedCause } from '../rules/causes.ts'
import type { CauseRunSource, CauseSource } from '../wire/causes.ts'

export interface KnownCauseRow extends NamedCause {
  varies: number[]
}

/** Only one transaction per project creates causes at a time: a second with the same fault finds the first's cause. */
export async function lockCauses(sql: Sql, project_id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('assay causes ' || ${project_id}::text, 0))`
}

/** All causes of an agent that have one of these kinds. */
export async function findCausesOfKinds(
  sql: Sql,
  { project_id, agent_id }: AgentKey,
  kinds: readonly CauseKind[],
) {
  return sql<KnownCauseRow[]>`
    select id, step, error_code, reason, template, varies from causes
    where project_id = ${project_id} and agent_id = ${agent_id} and (step, error_code, reason) in (
      select * from unnest(${kinds.map(k => k.step)}::text[], ${kinds.map(k => k.error_code)}::text[],
        ${kinds.map(k => k.reason)}::text[]))
    order by id`
}

/** Returns how many more causes a project may have; if none, it first deletes causes that no item has any more. */
export async function roomForCauses(sql: Sql, project_id: string): Promise<number> {
  const [row] = await sql<
    { n: number }[]
  >`select count(*)::int as n from causes where project_id = ${project_id}`
  const room = LIMITS.causes_per_project - row!.n
  if (room > 0) return room
  const { count } = await sql`
    delete from causes where (project_id, id) in (
      select project_id, id from causes where project_id = ${project_id} and count = 0
      order by last_seen limit ${LIMITS.causes_forgotten} for update skip locked)`
  return room + count
}

/** Creates the causes that do not exist yet; returns the id of each of `made`, in order. */
export async function insertCauses(sql: Sql, of: AgentKey, made: readonly CauseText[]): Promise<string[]> {
  const rows = await sql<{ id: string; no: number }[]>`
    with given as (
      select * from unnest(${made.map(c => c.step)}::text[], ${made.map(c => c.error_code)}::text[],
        ${made.map(c => c.reason)}::text[], ${made.map(c => c.template)}::text[])
        with ordinality as t(step, error_code, reason, template, no)
    ), put as (
      insert into causes (project_id, agent_id, step, error_code, reason, template)
      select ${of.project_id}::uuid, ${of.agent_id}::uuid, step, error_code, reason, template from given
      on conflict do nothing
      returning id, step, error_code, reason, template
    )
    select p.id, g.no::int from put p join given g using (step, error_code, reason, template)
    union all
    select c.id, g.no::int from causes c join given g using (step, error_code, reason, template)
    where c.project_id = ${of.project_id} and c.agent_id = ${of.agent_id}
    order by no`
  // On a cluster the second part reads what the first has inserted.
  return [...new Map(rows.map(row => [row.no, row.id])).values()]
}

/** Records the positions of words that differ among the messages of a cause. */
export async function noteVarying(
  sql: Sql,
  project_id: string,
  of: readonly { id: string; places: readonly number[] }[],
): Promise<void> {
  const pairs = of.flatMap(({ id, places }) => places.map(place => [id, place] as const))
  await sql`
    update causes c set varies = array(select distinct unnest(c.varies || v.places) order by 1)
    from (
      select id, array_agg(place) as places
      from unnest(${pairs.map(([id]) => id)}::text[], ${pairs.map(([, place]) => place)}::smallint[]) as p(id, place)
      group by id order by id
    ) v where c.project_id = ${project_id} and c.id = v.id`
}

/** Triage items without a cause (ended undispatched or before causes existed): up to `bytes` of inputs, or one item. */
export async function findWithoutCause(sql: Sql, limit: number, bytes: number) {
  return sql<Unnamed[]>`
    with bare as (
      select project_id, run_id, seq from triage
      where cause_id is null order by run_id, seq limit ${limit}
    ), sized as (
      select i.project_id, i.run_id, i.seq, sum(octet_length(i.input)) over (order by i.run_id, i.seq) as upto,
        row_number() over (order by i.run_id, i.seq) as n
      from bare join items i using (project_id, run_id, seq)
    )
    select t.run_id, t.seq, t.project_id, t.agent_id, i.outcome_reason, i.error_code, i.error_message,
      i.degraded_reason, i.input, i.cost_micro
    from sized s join items i using (project_id, run_id, seq) join triage t using (project_id, run_id, seq)
    where (s.upto <= ${bytes} or s.n = 1)`
}

export interface Unnamed extends RunKey {
  seq: number
  agent_id: string
  outcome_reason: OutcomeReason | null
  error_code: string | null
  error_message: string | null
  degraded_reason: string | null
  input: string
  cost_micro: number
}

/** Stores the causes of items that had none; returns how many items. */
export async function writeCauses(
  sql: Sql,
  { project_id, run_id }: RunKey,
  named: readonly { seq: number; cause_id: string; cost_micro: number }[],
): Promise<number> {
  const { count } = await sql`
    update triage t set cause_id = n.cause_id, cost_micro = n.cost_micro
    from rows from (
      unnest(${numbers(named.map(n => n.seq))}::text::int[]),
      string_to_table(${texts(named.map(n => n.cause_id))}, E'\\x1e'),
      unnest(${numbers(named.map(n => n.cost_micro))}::text::bigint[])
    ) as n(seq, cause_id, cost_micro)
    where t.project_id = ${project_id} and t.run_id = ${run_id} and t.seq = n.seq and t.cause_id is null`
  return count
}

export interface CauseFilter {
  /** All projects when absent. */
  project_ids?: readonly string[] | undefined
  run_id?: string | undefined
  /** The slug of their agent. */
  agent?: string | undefined
  /** Days (UTC), the last one included. */
  from_day?: string | undefined
  to_day?: string | undefined
  id?: string | undefined
  /** The count to sort by; causes where it is 0 are left out. */
  order?: 'count' | 'waiting'
  before?: { count: number; id: string } | undefined
  limit: number
}

/** Causes with items, the most frequent first. */
export async function listCauses(sql: Sql, filter: CauseFilter) {
  const { run_id, before } = filter
  const { size, found } = withItems(sql, filter)
  return sql<CauseSource[]>`
    select c.id, c.project_id, c.agent_id, a.slug as agent_slug, c.step, c.error_code, c.reason, c.template, c.varies,
      n.count, n.waiting, n.cost_micro, ${run_id === undefined ? sql`null::int as run_items` : sql`n.run_items`},
      c.runs, n.first_seen, n.last_seen, ${run_id === undefined ? newest(sql) : recordId(sql, 'n')} as record_id
    ${found}
      ${before === undefined ? sql`` : sql`and (${size}, c.id) < (${before.count}::int, ${before.id}::text)`}
    order by ${size} desc, c.id desc limit ${filter.limit}`
}

/** How many causes the filter finds, from the first page on; counted up to `limit`. */
export async function countCauses(sql: Sql, filter: CauseFilter): Promise<number> {
  const { found } = withItems(sql, filter)
  const [row] = await sql<
    { n: number }[]
  >`select count(*)::int as n from (select c.id ${found} limit ${filter.limit}) found`
  return row!.n
}

/** The causes that the filter finds, as `c` with their agents `a` and counts `n`; `size` is what they are sorted by. */
function withItems(sql: Sql, filter: CauseFilter) {
  const { agent, id, order = 'count' } = filter
  const size = sql`n.${sql(order)}`
  const projects = inProjects(sql, filter.project_ids)
  const found = sql`
    from (${counted(sql, filter)}) n
      join causes c on c.project_id = n.project_id and c.id = n.cause_id
      join agents a on a.project_id = c.project_id and a.id = c.agent_id and ${projects('a')}
    where ${size} > 0 and ${projects('c')} ${agent === undefined ? sql`` : sql`and a.slug = ${agent}`}
      ${id === undefined ? sql`` : sql`and c.id = ${id}`}`
  return { size, found }
}

/** The condition on a table's projects, by its alias. */
const inProjects = (sql: Sql, ids: readonly string[] | undefined) => (alias: string) =>
  ids === undefined ? sql`true` : sql`${sql(alias)}.project_id = any(${[...ids]}::uuid[])`

/** The counts that the filter selects: of one run, of a range of days, or of everything kept. */
function counted(sql: Sql, { project_ids, run_id, from_day, to_day }: CauseFilter) {
  const projects = inProjects(sql, project_ids)
  if (run_id !== undefined)
    return sql`
      select o.*, r.total_items as run_items from cause_runs o join runs r on r.project_id = o.project_id and r.id = o.run_id
      where o.run_id = ${run_id} and ${projects('o')} and ${projects('r')}`
  if (from_day === undefined && to_day === undefined)
    return sql`select *, id as cause_id from causes where ${projects('causes')}`
  return sql`
    select d.project_id, d.cause_id, sum(d.count)::int as count, sum(d.waiting)::int as waiting,
      sum(d.cost_micro)::bigint as cost_micro, min(c.first_seen) as first_seen, max(c.last_seen) as last_seen
    from cause_days d join causes c on c.project_id = d.project_id and c.id = d.cause_id
    where ${projects('d')} ${from_day === undefined ? sql`` : sql`and d.day >= ${from_day}::text::date`}
      ${to_day === undefined ? sql`` : sql`and d.day <= ${to_day}::text::date`}
    group by 1, 2`
}

const newest = (sql: Sql) => sql`(
  select ${recordId(sql, 't')} from triage t where t.project_id = c.project_id and t.cause_id = c.id
  order by t.created_at desc, t.run_id desc, t.seq desc limit 1)`

/** The newest runs with a cause. */
export async function findRunsOfCause(sql: Sql, project_id: string, cause_id: string, limit: number) {
  return sql<CauseRunSource[]>`
    select o.run_id, r.name, r.replay_of, r.created_at, o.count, o.waiting, o.first_seen, o.last_seen
    from cause_runs o join runs r on r.project_id = o.project_id and r.id = o.run_id
    where o.project_id = ${project_id} and o.cause_id = ${cause_id} order by o.run_id desc limit ${limit}`
}

/** The title of a cause; undefined when no item has it any more. */
export async function findCauseTitle(sql: Sql, project_id: string, id: string): Promise<string | undefined> {
  const [row] = await listCauses(sql, { project_ids: [project_id], id, limit: 1 })
  return row && titleOf(row)
}

const titleOf = (row: NamedCause & { varies: number[] }) =>
  causeTitle({ ...row, message: messageOf(row.template, row.varies) })

/** The most frequent causes of the items of a run that did not work. Reads all of these, like findCorrections. */
export async function findTopCauses(sql: Sql, { project_id, run_id }: RunKey, limit: number) {
  // The counts of `cause_runs` have items that were held and went on, and items that people found to have worked.
  const rows = await sql<(NamedCause & { varies: number[]; count: number })[]>`
    select c.id, c.step, c.error_code, c.reason, c.template, c.varies, n.count
    from (
      select cause_id, count(*)::int as count from triage
      where project_id = ${project_id} and run_id = ${run_id} and lane = 'dlq' and corrected is distinct from 'ok'
      group by 1
    ) n join causes c on c.project_id = ${project_id} and c.id = n.cause_id
    order by n.count desc, c.id desc limit ${limit}`
  return rows.map(row => ({ title: titleOf(row), count: row.count }))
}
