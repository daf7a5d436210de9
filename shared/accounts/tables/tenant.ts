// Defines which rows of a table callers' reads see: every readable table declares it with one of these lines. A table
// without one belongs to the engine: reading it fails (permission denied) instead of leaking.
//
// The conditions compare only uuids, which PostgreSQL knows to be leakproof: indexes are used as without a policy.

import { type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, pgPolicy } from 'drizzle-orm/pg-core'

/** The role of callers' reads; infra/migrate.ts makes it and grants it every table with a policy here. */
export const TENANT_ROLE = 'assay_tenant'

/** Transaction-local; after a transaction that set it, it is empty, not null. */
export const TENANT_SETTING = 'assay.account_id'

/** The caller's account, null outside of a read for one. */
export const tenantAccount = `nullif(current_setting('${TENANT_SETTING}', true), '')::uuid`

const shown = (when: SQL) => pgPolicy('tenant', { for: 'select', to: TENANT_ROLE, using: when })

/** Columns about the whole installation that everybody may read, of tables that otherwise belong to the engine. */
export const PUBLIC_COLUMNS = { installation: ['held_since'] } as const

/** Rows that name their account, which is evaluated once a query. */
export const ofAccount = (account_id: AnyPgColumn) =>
  shown(sql`${account_id} = (select ${sql.raw(tenantAccount)})`)

/** Rows that name a member: those of the account's members. */
export const ofMember = (t: { member_id: AnyPgColumn }) =>
  shown(sql`${t.member_id} in (select id from members)`)

/** Rows that name their project: those of the account's projects, which are looked up once a query. */
export const ofProject = (t: { project_id: AnyPgColumn }, and?: string) =>
  shown(sql`${t.project_id} in (select id from projects)${sql.raw(and === undefined ? '' : ` and ${and}`)}`)

/** Runs whose source is still being read are visible to nobody. */
export const OPENED = 'not (runs.materializing and runs.from_source)'

/** Rows that are visible when their run is: one look-up of the run a row, as an account may have any number of runs. */
export const ofRun = (t: { run_id: AnyPgColumn }) =>
  shown(sql`exists (select from runs where runs.id = ${t.run_id})`)

const itemsOf = (join: string) =>
  `exists (select from runs where ${join} and runs.${ownProject} and ${OPENED})`
const ownProject = `project_id = any (array(select id from projects where account_id = (select ${tenantAccount})))`

/**
 * Tables that are read through views of the same name, in a schema of the role's own, and the rows those views show.
 * Under a policy PostgreSQL applies no operator that might leak to a row before the policy has passed it. It counts
 * `@@` and the equality of enums among them: a search for words could not use their index, and a page of triage read
 * every failure (43 ms of 18,000, where it takes 5). A view hides rows without that caution, which protects from other
 * people's SQL, not from ours.
 *
 * A policy that checks the run of a row is answered from a hash of all runs of the account as soon as many items might
 * be read: 45 to 350 ms of 100,000 runs. In a view it is a join, which looks up the one run there is. The policy of
 * items stays for whoever reads the table by its own name.
 *
 * A migration that drops or alters a column of one has to drop its view first; after every migration the views are made
 * again.
 */
export const BEHIND_VIEWS = {
  items: itemsOf('runs.id = items.run_id'),
  step_index: ownProject,
  triage: ownProject,
} as const

/** The rows that the view of items shows on a cluster, which joins rows by their project only. */
export const ITEMS_ON_CLUSTER = itemsOf('runs.project_id = items.project_id and runs.id = items.run_id')
