// Reads and writes triggers. Guarantee: secrets are stored as a hash or encrypted, and rows for callers contain
// neither.

import { and, desc, eq, getTableColumns, isNull, lt, sql as raw } from 'drizzle-orm'
import { placesOf } from '../../accounts/queries/projects.ts'
import { accounts } from '../../accounts/tables/accounts.ts'
import { projects } from '../../accounts/tables/projects.ts'
import { agents } from '../../agents/tables/agents.ts'
import type { Context, Database, Sql } from '../../context.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import type { TriggerSource } from '../../sources/rules/source.ts'
import { type StartSettings, startOf } from '../../submission/wire/start-settings.ts'
import { triggers } from '../tables/triggers.ts'
import type { TriggerRow } from '../wire/triggers.ts'

const {
  secret_hash: _hash,
  signing_secret_sealed: _sealed,
  source_headers_sealed: _headers,
  ...shown
} = getTableColumns(triggers)
const columns = {
  ...shown,
  agent_slug: agents.slug,
  ready: raw<boolean>`${triggers.scheme} = 'bearer' or ${triggers.signing_secret_sealed} is not null`,
}

export interface TriggerFilter {
  account_id: string
  project_id: string | null
  agent_id?: string | undefined
  before_id?: string | undefined
  limit: number
}

/** Newest first. */
export function listTriggers(db: Database, filter: TriggerFilter): Promise<TriggerRow[]> {
  const { account_id, project_id, agent_id, before_id, limit } = filter
  return selectTriggers(db)
    .where(
      and(
        isNull(agents.deleted_at),
        eq(projects.account_id, account_id),
        project_id === null ? undefined : eq(triggers.project_id, project_id),
        agent_id === undefined ? undefined : eq(triggers.agent_id, agent_id),
        before_id === undefined ? undefined : lt(triggers.id, before_id),
      ),
    )
    .orderBy(desc(triggers.id))
    .limit(limit)
}

/** `own` is the only project that the caller may see; null if it may see all of the account. */
export async function findTrigger(
  db: Database,
  account_id: string,
  id: string,
  own: string | null,
): Promise<TriggerRow | undefined> {
  const isIt = and(isNull(agents.deleted_at), eq(projects.account_id, account_id), eq(triggers.id, id))
  for (const place of placesOf(own)) {
    const isThere = place === undefined ? isIt : and(isIt, eq(triggers.project_id, place))
    const [row] = await selectTriggers(db).where(isThere)
    if (row !== undefined) return row
  }
  return undefined
}

const ofItsAgent = and(eq(agents.project_id, triggers.project_id), eq(agents.id, triggers.agent_id))
const selectTriggers = (db: Database) =>
  db
    .select(columns)
    .from(triggers)
    .innerJoin(agents, ofItsAgent)
    .innerJoin(projects, eq(projects.id, triggers.project_id))

/** Names a trigger by its project too, which says where a cluster has it. */
export interface TriggerKey {
  project_id: string
  id: string
}

const isTrigger = ({ project_id, id }: TriggerKey) =>
  and(eq(triggers.project_id, project_id), eq(triggers.id, id))

/** The triggers of an agent, locked until the transaction ends. */
export function lockTriggersOfAgent(db: Database, { project_id, agent_id }: AgentKey) {
  const { id, name, secret_env, declared, webhook_id, source, source_headers_sealed } = triggers
  return db
    .select({ id, name, secret_env, declared, webhook_id, source, source_headers_sealed })
    .from(triggers)
    .where(and(eq(triggers.project_id, project_id), eq(triggers.agent_id, agent_id)))
    .orderBy(triggers.id)
    .for('no key update')
}

/** What its runs are started with; undefined when it is gone. */
export async function findTriggerStart(db: Database, key: TriggerKey): Promise<StartSettings | undefined> {
  const [row] = await db.select().from(triggers).where(isTrigger(key))
  return row && startOf(row)
}

/** Where a trigger's items come from, its row locked until the transaction ends; undefined when it is gone. */
export async function lockTriggerItems(db: Database, key: TriggerKey) {
  const { source, source_headers_sealed } = triggers
  const [row] = await db
    .select({ source, source_headers_sealed })
    .from(triggers)
    .where(isTrigger(key))
    .for('no key update')
  return row
}

/**
 * A trigger with all it takes to verify a fire; undefined if the trigger, its agent or its account is gone. A cluster
 * looks for it on all nodes: its URL does not say which project it is of.
 */
export async function findWebhook({ db }: Pick<Context, 'db'>, webhook_id: string) {
  const [row] = await db
    .select({
      ...getTableColumns(triggers),
      account_id: accounts.id,
      plan: accounts.plan,
      settings: projects.settings,
    })
    .from(triggers)
    .innerJoin(agents, and(ofItsAgent, isNull(agents.deleted_at)))
    .innerJoin(projects, eq(projects.id, triggers.project_id))
    .innerJoin(accounts, eq(accounts.id, projects.account_id))
    .where(eq(triggers.webhook_id, webhook_id))
  return row
}
export type Webhook = NonNullable<Awaited<ReturnType<typeof findWebhook>>>

/** False when the agent already has a trigger of this name. */
export async function insertTrigger(db: Database, trigger: typeof triggers.$inferInsert): Promise<boolean> {
  const rows = await db.insert(triggers).values(trigger).onConflictDoNothing().returning({ id: triggers.id })
  return rows.length === 1
}

export async function updateTrigger(
  db: Database,
  key: TriggerKey,
  changes: Partial<StartSettings> & {
    secret_env?: string | null | undefined
    signing_secret_sealed?: string | undefined
    declared?: boolean
    source?: TriggerSource | null
    source_headers_sealed?: string | null
  },
): Promise<void> {
  await db.update(triggers).set(changes).where(isTrigger(key))
}

/** Waits for fires that are committing; returns the start settings of the trigger, undefined if it was gone. */
export async function deleteTrigger(db: Database, key: TriggerKey): Promise<StartSettings | undefined> {
  const [gone] = await db.delete(triggers).where(isTrigger(key)).returning()
  return gone && startOf(gone)
}

/** Keeps the URL from being deleted until the transaction ends; false if it is gone. Fires do not block each other. */
export async function holdWebhook(sql: Sql, { project_id, webhook_id }: Webhook): Promise<boolean> {
  const result = await sql`
    select 1 from triggers where project_id = ${project_id} and webhook_id = ${webhook_id} for key share`
  return result.count === 1
}

/** Records the time of a fire, at most once in `every_ms`, so that a busy trigger does not keep updating its row. */
export async function touchTrigger(
  sql: Sql,
  { project_id, id }: TriggerKey,
  every_ms: number,
): Promise<void> {
  await sql`
    update triggers set last_fired_at = now()
    where project_id = ${project_id} and id = ${id}
      and coalesce(last_fired_at, '-infinity') < now() - make_interval(secs => ${every_ms / 1000})`
}
