// Reads and writes triggers. Guarantee: secrets are stored as a hash or encrypted, and rows for callers contain
// neither.

import { and, desc, eq, getTableColumns, isNull, lt, sql as raw } from 'drizzle-orm'
import { accounts } from '../../accounts/tables/accounts.ts'
import { projects } from '../../accounts/tables/projects.ts'
import { agents } from '../../agents/tables/agents.ts'
import { isDistributed, lostNodes } from '../../cluster/queries/nodes.ts'
import type { Context, Database, Sql } from '../../context.ts'
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

export async function findTrigger(
  db: Database,
  account_id: string,
  id: string,
): Promise<TriggerRow | undefined> {
  const [row] = await selectTriggers(db).where(
    and(isNull(agents.deleted_at), eq(projects.account_id, account_id), eq(triggers.id, id)),
  )
  return row
}

const selectTriggers = (db: Database) =>
  db
    .select(columns)
    .from(triggers)
    .innerJoin(agents, eq(agents.id, triggers.agent_id))
    .innerJoin(projects, eq(projects.id, triggers.project_id))

/** The triggers of an agent, locked until the transaction ends. */
export function lockTriggersOfAgent(db: Database, agent_id: string) {
  const { id, name, secret_env, declared, webhook_id, source, source_headers_sealed } = triggers
  return db
    .select({ id, name, secret_env, declared, webhook_id, source, source_headers_sealed })
    .from(triggers)
    .where(eq(triggers.agent_id, agent_id))
    .orderBy(triggers.id)
    .for('no key update')
}

/** What its runs are started with; undefined when it is gone. */
export async function findTriggerStart(db: Database, id: string): Promise<StartSettings | undefined> {
  const [row] = await db.select().from(triggers).where(eq(triggers.id, id))
  return row && startOf(row)
}

/** Where a trigger's items come from, its row locked until the transaction ends; undefined when it is gone. */
export async function lockTriggerItems(db: Database, id: string) {
  const { source, source_headers_sealed } = triggers
  const [row] = await db
    .select({ source, source_headers_sealed })
    .from(triggers)
    .where(eq(triggers.id, id))
    .for('no key update')
  return row
}

/** A trigger with all it takes to verify a fire; undefined if the trigger, its agent or its account is gone. */
export async function findWebhook(db: Database, webhook_id: string) {
  const [row] = await db
    .select({
      ...getTableColumns(triggers),
      account_id: accounts.id,
      plan: accounts.plan,
      settings: projects.settings,
    })
    .from(triggers)
    .innerJoin(agents, and(eq(agents.id, triggers.agent_id), isNull(agents.deleted_at)))
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
  id: string,
  changes: Partial<StartSettings> & {
    secret_env?: string | null | undefined
    signing_secret_sealed?: string | undefined
    declared?: boolean
    source?: TriggerSource | null
    source_headers_sealed?: string | null
  },
): Promise<void> {
  await db.update(triggers).set(changes).where(eq(triggers.id, id))
}

/** Waits for fires that are committing; returns the start settings of the trigger, undefined if it was gone. */
export async function deleteTrigger(
  { sql, db }: Pick<Context, 'sql' | 'db'>,
  id: string,
): Promise<StartSettings | undefined> {
  if (await isDistributed(sql))
    return db.transaction(async tx => {
      await tx.execute(raw`select pg_advisory_xact_lock(hashtextextended(${lockOf(id)}, 0))`)
      return removeTrigger(tx as unknown as Database, id)
    })
  return removeTrigger(db, id)
}

async function removeTrigger(db: Database, id: string): Promise<StartSettings | undefined> {
  const [gone] = await db.delete(triggers).where(eq(triggers.id, id)).returning()
  return gone && startOf(gone)
}

/** The advisory lock of a cluster, where fires would lock a row that all nodes have, and deadlock over it. */
const lockOf = (id: string) => `fires of ${id}`

/** Keeps the URL from being deleted until the transaction ends; false if it is gone. Fires do not block each other. */
export async function holdWebhook(sql: Sql, { id, webhook_id }: Webhook): Promise<boolean> {
  const isOfRow = !(await isDistributed(sql))
  if (!isOfRow) await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lockOf(id)}, 0))`
  const result = await sql`
    select 1 from triggers where webhook_id = ${webhook_id} ${isOfRow ? sql`for key share` : sql``}`
  return result.count === 1
}

/** Records the time of a fire, at most once in `every_ms`, so that a busy trigger does not keep updating its row. */
export async function touchTrigger(sql: Sql, id: string, every_ms: number): Promise<void> {
  if (lostNodes().length > 0) return // every node of a cluster has the row
  await sql`
    update triggers set last_fired_at = now()
    where id = ${id} and coalesce(last_fired_at, '-infinity') < now() - make_interval(secs => ${every_ms / 1000})`
}
