// Reads of items. They are found by (run, seq); whoever may see a run may see its items.

import { and, asc, eq, getTableColumns, gt, ne, or } from 'drizzle-orm'
import type { Database, Sql } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ItemStatus, Outcome } from '../domain/vocabulary.ts'
import { agents, items, projects, runs, triage } from '../schema/tables.ts'
import type { ItemInRunRow, ItemRow } from '../schema/wire.ts'

export interface ItemFilter {
  run_id: string
  /** `not_ok` is degraded, failed, or held without a verdict. */
  outcome?: Outcome | 'not_ok' | undefined
  status?: ItemStatus | undefined
  after_seq: number
  limit: number
}

/** A run's items in the order they are dispatched. */
export function listItems(db: Database, filter: ItemFilter): Promise<ItemRow[]> {
  const { outcome } = filter
  const base = db.select(getTableColumns(items)).from(items).$dynamic()
  // Every item that did not work has a triage row, and few do: the search goes through those.
  const query =
    outcome === undefined || outcome === 'ok'
      ? base
      : base.innerJoin(triage, and(eq(triage.run_id, items.run_id), eq(triage.seq, items.seq)))
  const sorted = outcome === undefined || outcome === 'ok' ? items : triage
  return query
    .where(
      and(
        eq(sorted.run_id, filter.run_id),
        gt(sorted.seq, filter.after_seq),
        filter.status === undefined ? undefined : eq(items.status, filter.status),
        outcomeIs(outcome),
      ),
    )
    .orderBy(asc(sorted.seq))
    .limit(filter.limit)
}

function outcomeIs(outcome: ItemFilter['outcome']) {
  if (outcome === undefined) return undefined
  if (outcome !== 'not_ok') return eq(items.outcome, outcome)
  return or(ne(items.outcome, 'ok'), eq(items.status, 'paused'))
}

export async function findItem(
  db: Database,
  account_id: string,
  key: { run_id: string; seq: number },
): Promise<ItemInRunRow | undefined> {
  const [row] = await db
    .select({
      ...getTableColumns(items),
      project_id: runs.project_id,
      agent_id: runs.agent_id,
      agent_slug: agents.slug,
      created_at: runs.created_at,
      payloads_purged_at: runs.payloads_purged_at,
    })
    .from(items)
    .innerJoin(runs, eq(runs.id, items.run_id))
    .innerJoin(projects, eq(projects.id, runs.project_id))
    .innerJoin(agents, eq(agents.id, runs.agent_id))
    .where(and(eq(projects.account_id, account_id), eq(items.run_id, key.run_id), eq(items.seq, key.seq)))
  return row
}

/**
 * The next items of a project after (run, seq), in that order.
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
    select i.*, r.project_id, r.agent_id, r.created_at, r.payloads_purged_at, a.slug as agent_slug
    from (
      select id, project_id, agent_id, created_at, payloads_purged_at from runs
      where project_id = ${project_id} and id >= ${after.run_id} and not materializing
        -- A scalar, not exists: that might be planned as a join with all items.
        and (select true from items where run_id = runs.id limit 1)
      order by id limit ${limit}
    ) r
    join agents a on a.id = r.agent_id
    cross join lateral (
      select * from items
      where run_id = r.id and seq > case when r.id = ${after.run_id} then ${after.seq}::int else 0 end
      order by seq limit ${limit}
    ) i
    order by r.id, i.seq limit ${limit}`
}

type NextItems = (
  project_id: string,
  after: { run_id: string; seq: number },
  limit: number,
) => Promise<ItemInRunRow[]>

/** Every item of some projects, in chunks. */
export async function* itemsInChunks(next: NextItems, project_ids: string[]): AsyncGenerator<ItemInRunRow[]> {
  for (const project_id of project_ids) {
    let after = { run_id: '00000000-0000-0000-0000-000000000000', seq: 0 }
    for (;;) {
      const rows = await next(project_id, after, LIMITS.export_chunk_items)
      const last = rows.at(-1)
      if (last === undefined) break
      yield rows
      after = { run_id: last.run_id, seq: last.seq }
    }
  }
}
