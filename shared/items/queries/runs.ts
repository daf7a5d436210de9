// Reads runs. An account's runs are found through its projects; newest first is by id, which holds the time.

import {
  and,
  arrayContains,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  type SQL,
  sql,
} from 'drizzle-orm'
import { placesOf } from '../../accounts/queries/projects.ts'
import { projects } from '../../accounts/tables/projects.ts'
import { agents, deployments } from '../../agents/tables/agents.ts'
import type { Database, Sql } from '../../context.ts'
import { firstIdAt, type RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { callFacts } from '../../prices/queries/call-facts.ts'
import type { CallFacts } from '../../prices/rules/held-budget.ts'
import { upstreams } from '../../upstreams/tables/upstreams.ts'
import { items, runs } from '../tables/runs.ts'
import type { Outcome, RunState, RunStatus, StopReason } from '../vocabulary.ts'
import type { RunRow } from '../wire/runs.ts'
import { endedItemsOf } from './transitions.ts'

export interface RunFilter {
  account_id: string
  project_id: string | null
  /** A slug. */
  agent?: string | undefined
  item_id?: string | undefined
  tag?: string | undefined
  state?: RunState | undefined
  status?: RunStatus | undefined
  /** The worst verdict of its items; `not_ok` is degraded or failed. */
  outcome?: Outcome | 'not_ok' | undefined
  /** When it was submitted. */
  from?: string | undefined
  to?: string | undefined
  /** Only runs that replay items of this run. */
  replay_of?: string | undefined
  /** Only runs with items that have this cause. */
  cause_id?: string | undefined
  before_id?: string | undefined
  limit: number
}

/** A number of the first attempts that ended because of others, from an index that has no other attempts. */
const splitAttempts = (counted: string) =>
  sql<number>`(select ${sql.raw(counted)}::int from (select a.seq from attempts a
    where a.project_id = ${runs.project_id} and a.run_id = ${runs.id} and a.code = 'request_split'
    limit ${LIMITS.resends_counted}) split)`

function selectRuns(db: Database) {
  return db
    .select({
      ...getTableColumns(runs),
      agent_slug: agents.slug,
      deployment_version: deployments.version,
      resent_items: splitAttempts('count(distinct seq)'),
      resends: splitAttempts('count(*)'),
      calls: sql<CallFacts>`${sql.raw(callFacts('runs', 'deployments'))}`,
      upstream: {
        id: upstreams.id,
        host: upstreams.host,
        label: upstreams.label,
        state: upstreams.state,
        words: upstreams.words,
        since: upstreams.since,
        next_at: upstreams.next_at,
      },
    })
    .from(runs)
    .innerJoin(projects, eq(projects.id, runs.project_id))
    .innerJoin(agents, and(eq(agents.project_id, runs.project_id), eq(agents.id, runs.agent_id)))
    .leftJoin(
      deployments,
      and(eq(deployments.project_id, runs.project_id), eq(deployments.id, runs.deployment_id)),
    )
    .leftJoin(upstreams, and(eq(upstreams.project_id, runs.project_id), eq(upstreams.id, runs.waits_for)))
}

const STATES: Record<RunState, SQL> = {
  open: isNull(runs.finished_at),
  ended: isNotNull(runs.finished_at),
  // The same as `isHeld` in shared/items/rules/lifecycle.ts.
  held: sql`${runs.finished_at} is null and not ${runs.materializing} and ${runs.paused} > 0 and ${runs.running} = 0
    and ${runs.paused} + ${sql.raw(endedItemsOf('runs'))} = ${runs.total_items} and not ${runs.waits_for_credit}`,
}

export async function listRuns(db: Database, filter: RunFilter): Promise<RunRow[]> {
  const { agent, item_id, status, outcome, from, to, before_id } = filter
  const touched = db
    .select({ project_id: items.project_id, id: items.run_id })
    .from(items)
    .where(
      and(
        eq(items.item_id, item_id ?? ''),
        filter.project_id === null ? undefined : eq(items.project_id, filter.project_id),
      ),
    )
  const agent_ids = agent === undefined ? undefined : await idsOfAgent(db, filter.project_id, agent)
  return selectRuns(db)
    .where(
      and(
        eq(projects.account_id, filter.account_id),
        filter.project_id === null ? undefined : eq(runs.project_id, filter.project_id),
        agent_ids && agentIs(agent_ids),
        item_id === undefined ? undefined : sql`(${runs.project_id}, ${runs.id}) in ${touched}`,
        filter.tag === undefined ? undefined : arrayContains(runs.tags, [filter.tag]),
        filter.state === undefined ? undefined : STATES[filter.state],
        status === undefined ? undefined : eq(runs.status, status),
        outcome === undefined ? undefined : OUTCOME_IS[outcome],
        filter.replay_of === undefined
          ? undefined
          : sql`(${runs.project_id}, ${runs.id}) in ${replaysOf(filter.replay_of)}`,
        filter.cause_id === undefined
          ? undefined
          : sql`(${runs.project_id}, ${runs.id}) in (select project_id, run_id from cause_runs where cause_id = ${filter.cause_id})`,
        // The order of ids is that of submission.
        from === undefined ? undefined : gte(runs.id, firstIdAt(Date.parse(from))),
        to === undefined ? undefined : lt(runs.id, firstIdAt(Date.parse(to))),
        before_id === undefined ? undefined : lt(runs.id, before_id),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(filter.limit)
}

/** By the agent's id PostgreSQL walks its runs in order; by its slug it would walk the runs of all agents. */
async function idsOfAgent(db: Database, project_id: string | null, slug: string): Promise<string[]> {
  const ofProject = project_id === null ? undefined : eq(agents.project_id, project_id)
  const rows = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.slug, slug), ofProject))
  return rows.map(({ id }) => id)
}

const agentIs = (ids: string[]) =>
  ids.length === 1 ? eq(runs.agent_id, ids[0]!) : inArray(runs.agent_id, ids)

/** The runs that replay the first items of a run that was replayed item by item. */
const replaysOf = (run_id: string) => sql`(
  select project_id, run_id from (
    select project_id, run_id from replays
    where project_id = (select project_id from runs where id = ${run_id}) and from_run_id = ${run_id}
    order by from_seq limit ${LIMITS.items_looked_through}
  ) as replaying)`

const raised = sql`(${runs.failed} > 0 or ${runs.budget_exceeded} > 0)`
/** The same as `worstOutcome` in shared/items/rules/lifecycle.ts. */
const OUTCOME_IS = {
  failed: raised,
  degraded: sql`not ${raised} and ${runs.degraded} > 0`,
  not_ok: sql`(${raised} or ${runs.degraded} > 0)`,
  ok: sql`not ${raised} and ${runs.degraded} = 0 and ${runs.ok} > 0`,
}

/** `own` is the only project that the caller may see; null if it may see all of the account. */
export async function findRun(
  db: Database,
  account_id: string,
  id: string,
  own: string | null,
): Promise<RunRow | undefined> {
  const isIt = and(eq(projects.account_id, account_id), eq(runs.id, id))
  for (const place of placesOf(own)) {
    const isThere = place === undefined ? isIt : and(isIt, eq(runs.project_id, place))
    const [row] = await selectRuns(db).where(isThere)
    if (row !== undefined) return row
  }
  return undefined
}

export async function setTags(db: Database, { project_id, run_id }: RunKey, tags: string[]): Promise<void> {
  await db
    .update(runs)
    .set({ tags })
    .where(and(eq(runs.project_id, project_id), eq(runs.id, run_id)))
}

/** A run that has ended, as its trace shows it. */
export interface EndedRun {
  project_id: string
  agent_id: string
  agent_slug: string
  status: RunStatus
  stop_reason: StopReason | null
  created_ms: number
  finished_ms: number
  total_items: number
  ok: number
  degraded: number
  failed: number
  budget_exceeded: number
  cost_micro: number
  input_tokens: number
  output_tokens: number
}

/** Undefined while the run has not ended. */
export async function findEndedRun(sql: Sql, id: string): Promise<EndedRun | undefined> {
  const [row] = await sql<EndedRun[]>`
    select r.project_id, r.agent_id, a.slug as agent_slug, r.status,
      coalesce(r.first_stop_reason, r.stop_reason) as stop_reason, r.total_items, r.ok, r.degraded, r.failed,
      r.budget_exceeded, r.cost_micro, r.input_tokens, r.output_tokens,
      extract(epoch from r.created_at)::float8 * 1000 as created_ms,
      extract(epoch from r.finished_at)::float8 * 1000 as finished_ms
    from runs r join agents a on a.project_id = r.project_id and a.id = r.agent_id
    where r.id = ${id} and r.finished_at is not null`
  return row
}
