// Reads items. They are found by (project, run, seq); whoever may see a run may see its items.

import { and, asc, desc, eq, getTableColumns, gt, gte, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { projects } from '../../accounts/tables/projects.ts'
import { agents } from '../../agents/tables/agents.ts'
import type { Database, Sql } from '../../context.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { columnsOf } from '../../kernel/packed-columns.ts'
import { triage } from '../../triage/tables/triage.ts'
import { items, runs } from '../tables/runs.ts'
import type { ItemStatus, Outcome } from '../vocabulary.ts'
import type { ItemInRunRow, ItemRow } from '../wire/runs.ts'

export interface ItemFilter extends RunKey {
  /** Items of the run. */
  total_items: number
  /** `not_ok` is degraded, failed, or held without a verdict. */
  outcome?: Outcome | 'not_ok' | undefined
  status?: ItemStatus | undefined
  reason?: string | undefined
  partition_key?: string | undefined
  item_id?: string | undefined
  after_seq: number
  /** Lists the items before this seq instead, the nearest first. */
  before_seq?: number | undefined
  /** `none` leaves inputs and outputs unread. */
  payloads?: 'none' | undefined
  limit: number
}

/**
 * Lists a run's items in dispatch order, or in reverse. A filter that few items pass would read the whole batch, so a
 * call scans only a part of it: `looked_to` is the seq from which the next scan continues, null when there is nothing
 * more. A page also ends with the item that brings it to LIMITS.page_bytes.
 */
export async function listItems(
  db: Database,
  filter: ItemFilter,
): Promise<{ rows: ItemRow[]; looked_to: number | null }> {
  // Every item that did not work has a triage row, and few others have one: the search scans those rows.
  const among = didNotWork(filter) ? triage : items
  const looked_to = isPlain(filter) ? null : await endOfLook(db, among, filter)
  const { order } = walkOf(filter)
  // Sizes are known without reading payloads that are stored outside the row.
  const size = sql<number>`coalesce(octet_length(${items.input}), 0) + coalesce(octet_length(${items.output}), 0)`
  const before = sql<number>`(sum(${size}) over (order by ${order(among.seq)}) - (${size}))::float8`.as(
    'bytes_before',
  )
  const base = db
    .select({ ...columnsFor(filter), bytes_before: before, bytes: size.as('bytes') })
    .from(items)
    .$dynamic()
  const query =
    among === items
      ? base
      : base.innerJoin(
          triage,
          and(
            eq(triage.project_id, items.project_id),
            eq(triage.run_id, items.run_id),
            eq(triage.seq, items.seq),
          ),
        )
  const found = query
    .where(passing(among, filter, looked_to))
    .orderBy(order(among.seq))
    .limit(filter.limit)
    .as('found')
  const rows = await db
    .select()
    .from(found)
    .where(lt(found.bytes_before, LIMITS.page_bytes))
    .orderBy(order(found.seq))
  const last = rows.at(-1)
  const isFull = last !== undefined && last.bytes_before + last.bytes >= LIMITS.page_bytes
  return { rows, looked_to: isFull && isMoreBehind(filter, last.seq) ? last.seq : looked_to }
}

/** A look-up by key, of items whose answers named a version. */
const VERSION_NAME = sql<string | null>`case when items.code_version > 0 then (
  select v.name from code_versions v
    join runs of_item on of_item.project_id = v.project_id and of_item.agent_id = v.agent_id
  where v.project_id = items.project_id and of_item.id = items.run_id and v.no = items.code_version) end`.as(
  'code_version_name',
)

/** Payloads may be megabytes: callers that need only the list of items do not read them. */
function columnsFor({ payloads }: ItemFilter) {
  const columns = { ...getTableColumns(items), code_version_name: VERSION_NAME }
  if (payloads === undefined) return columns
  const none = (name: string) => sql<null>`null`.as(name)
  return { ...columns, input: none('input'), output: none('output') } as unknown as typeof columns
}

/** The direction of a list, and the seq it starts from. */
function walkOf({ after_seq, before_seq }: ItemFilter) {
  return before_seq === undefined
    ? { from_seq: after_seq, step: 1, behind: gt, until: lte, order: asc }
    : { from_seq: before_seq, step: -1, behind: lt, until: gte, order: desc }
}

const isMoreBehind = ({ before_seq, total_items }: ItemFilter, seq: number) =>
  before_seq === undefined ? seq < total_items : seq > 1

function passing(among: typeof items | typeof triage, filter: ItemFilter, looked_to: number | null) {
  const { behind, until, from_seq } = walkOf(filter)
  return and(
    eq(among.project_id, filter.project_id),
    eq(among.run_id, filter.run_id),
    behind(among.seq, from_seq),
    looked_to === null ? undefined : until(among.seq, looked_to),
    given(filter.status, status => eq(items.status, status)),
    given(filter.outcome, outcomeIs),
    given(filter.reason, reason => eq(triage.reason, reason)),
    given(filter.partition_key, key => eq(among.partition_key, key)),
    given(filter.item_id, id => eq(items.item_id, id)),
  )
}

const FAILED: readonly (ItemStatus | undefined)[] = ['failed', 'budget_exceeded']

const didNotWork = ({ outcome, status, reason }: ItemFilter) =>
  (outcome !== undefined && outcome !== 'ok') || FAILED.includes(status) || reason !== undefined

/** No bounded scan is needed: item_id has an index, and most triage rows are not ok (others are held or reviews). */
const isPlain = ({ outcome, status, reason, partition_key, item_id }: ItemFilter) =>
  item_id !== undefined ||
  ((outcome === undefined || outcome === 'not_ok') &&
    status === undefined &&
    reason === undefined &&
    partition_key === undefined)

/** The seq at which a scan ends, null for none: seqs of items have no gaps, those of triage do. */
async function endOfLook(db: Database, among: typeof items | typeof triage, filter: ItemFilter) {
  const { project_id, run_id } = filter
  const { from_seq, step, behind, order } = walkOf(filter)
  if (among === items) {
    const seq = from_seq + step * LIMITS.items_looked_through
    return isMoreBehind(filter, seq) ? seq : null
  }
  const [row] = await db
    .select({ seq: triage.seq })
    .from(triage)
    .where(and(eq(triage.project_id, project_id), eq(triage.run_id, run_id), behind(triage.seq, from_seq)))
    .orderBy(order(triage.seq))
    .offset(LIMITS.items_looked_through - 1)
    .limit(1)
  return row?.seq ?? null
}

const given = <T>(value: T | undefined, condition: (value: T) => SQL | undefined) =>
  value === undefined ? undefined : condition(value)

function outcomeIs(outcome: Outcome | 'not_ok') {
  if (outcome !== 'not_ok') return eq(items.outcome, outcome)
  return or(ne(items.outcome, 'ok'), eq(items.status, 'paused'))
}

export async function findItem(
  db: Database,
  account_id: string,
  key: ItemKey,
): Promise<ItemInRunRow | undefined> {
  const [row] = await db
    .select({
      ...getTableColumns(items),
      code_version_name: VERSION_NAME,
      project_id: runs.project_id,
      agent_id: runs.agent_id,
      agent_slug: agents.slug,
      created_at: runs.created_at,
      payloads_purged_at: runs.payloads_purged_at,
    })
    .from(items)
    .innerJoin(runs, and(eq(runs.project_id, items.project_id), eq(runs.id, items.run_id)))
    .innerJoin(projects, eq(projects.id, runs.project_id))
    .innerJoin(agents, and(eq(agents.project_id, runs.project_id), eq(agents.id, runs.agent_id)))
    .where(
      and(
        eq(projects.account_id, account_id),
        eq(items.project_id, key.project_id),
        eq(items.run_id, key.run_id),
        eq(items.seq, key.seq),
      ),
    )
  return row
}

/**
 * The next items of a project after (run, seq), in that order: at most `limit`, bounded in size together, at least one.
 *
 * Runs are walked by the index on (project, id) and each one's items by their key, so a chunk costs the same
 * wherever it begins and whatever other projects hold.
 */
export async function nextItems(
  sql: Sql,
  project_id: string,
  after: { run_id: string; seq: number },
  limit: number,
) {
  return sql<ItemInRunRow[]>`
    with next as (
      select ${sql(columnsOf(items, 'i'))}, v.name as code_version_name, r.agent_id, r.created_at, r.payloads_purged_at, a.slug as agent_slug
      from (
        select id, project_id, agent_id, created_at, payloads_purged_at from runs
        where project_id = ${project_id} and id >= ${after.run_id} and not materializing
          -- A scalar subquery, because exists might be planned as a join with all items.
          and (select true from items where project_id = ${project_id} and run_id = runs.id limit 1)
        order by id limit ${limit}
      ) r
      join agents a on a.project_id = ${project_id} and a.id = r.agent_id
      cross join lateral (
        select * from items
        where project_id = ${project_id} and run_id = r.id and seq > case when r.id = ${after.run_id} then ${after.seq}::int else 0 end
        order by seq limit ${limit}
      ) i
      left join code_versions v on v.project_id = ${project_id} and v.agent_id = r.agent_id and v.no = i.code_version
      order by r.id, i.seq limit ${limit}
    )
    select * from (
      -- octet_length reads no values that are stored outside the row.
      select *, row_number() over so_far as nth,
        sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0)) over so_far as bytes
      from next window so_far as (order by run_id, seq)
    ) sized
    where nth = 1 or bytes <= ${LIMITS.export_chunk_bytes}
    order by run_id, seq`
}

type NextItems = (
  project_id: string,
  after: { run_id: string; seq: number },
  limit: number,
) => Promise<ItemInRunRow[]>

/** Yields every item of the projects' runs before `until_id`, in chunks. */
export async function* itemsInChunks(
  next: NextItems,
  project_ids: string[],
  until_id: string,
): AsyncGenerator<ItemInRunRow[]> {
  for (const project_id of project_ids) {
    let after = { run_id: '00000000-0000-0000-0000-000000000000', seq: 0 }
    for (;;) {
      const rows = await next(project_id, after, LIMITS.export_chunk_items)
      const last = rows.at(-1)
      if (last === undefined || last.run_id >= until_id) {
        const before = rows.filter(row => row.run_id < until_id)
        if (before.length > 0) yield before
        break
      }
      yield rows
      after = { run_id: last.run_id, seq: last.seq }
    }
  }
}
