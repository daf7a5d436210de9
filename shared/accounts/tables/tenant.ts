// What an endpoint's reads see of a table: every table they may read says so with one of these lines in its
// definition. One that says nothing is the engine's alone: reading it fails (permission denied) rather than tells.
//
// The conditions compare uuids only, which PostgreSQL knows to leak nothing: indexes are used as without them.

import { type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, pgPolicy } from 'drizzle-orm/pg-core'

/** The role of reads for a caller; infra/migrate.ts makes it and grants it what has a policy here. */
export const TENANT_ROLE = 'assay_tenant'

/** Transaction-local; after a transaction that had set it, it is empty and not null. */
export const TENANT_SETTING = 'assay.account_id'

/** The caller's account, null outside of a read for one. */
export const tenantAccount = `nullif(current_setting('${TENANT_SETTING}', true), '')::uuid`

const shown = (when: SQL) => pgPolicy('tenant', { for: 'select', to: TENANT_ROLE, using: when })

/**
 * What is true of the whole installation and told to everybody: these columns alone, of tables that are otherwise the
 * engine's.
 */
export const TOLD_TO_ALL = { installation: ['held_since'] } as const

/** Rows that name their account. Asked once a query. */
export const ofAccount = (account_id: AnyPgColumn) =>
  shown(sql`${account_id} = (select ${sql.raw(tenantAccount)})`)

/** Rows that name a member: those of the account's members. */
export const ofMember = (t: { member_id: AnyPgColumn }) =>
  shown(sql`${t.member_id} in (select id from members)`)

/** Rows that name their project: those of the account's projects, which are looked up once a query. */
export const ofProject = (t: { project_id: AnyPgColumn }, and?: string) =>
  shown(sql`${t.project_id} in (select id from projects)${sql.raw(and === undefined ? '' : ` and ${and}`)}`)

/** Runs whose source is still being read are nobody's to see. */
export const OPENED = 'not (runs.materializing and runs.from_source)'

/** Rows that are seen when their run is: a look-up of the run a row, since an account may have any number of runs. */
export const ofRun = (t: { run_id: AnyPgColumn }) =>
  shown(sql`exists (select from runs where runs.id = ${t.run_id})`)

const itemsOf = (join: string) =>
  `exists (select from runs where ${join} and runs.${ownProject} and ${OPENED})`
const ownProject = `project_id = any (array(select id from projects where account_id = (select ${tenantAccount})))`

/**
 * Tables that are read through views of the same name instead, in a schema of the role's own, and which rows those show.
 * No row is looked at by an operator that might leak before its policy has passed it, and PostgreSQL takes `@@` and the
 * equality of enums for such: a search for words could not use their index, and a page of triage read every failure
 * (43 ms of 18,000, where it takes 5). A view hides rows without that caution, which protects from other people's
 * SQL, not from ours.
 *
 * A policy that asks for the run of a row is answered from a hash of all runs of the account as soon as many items might
 * be read: 45 to 350 ms of 100,000 runs. Of a view it is a join, which looks up the one run there is. The policy of
 * items stays for whoever reads the table by its own name.
 *
 * A migration that drops or alters a column of one has to drop its view first; every migration is followed by making
 * them again.
 */
export const BEHIND_VIEWS = {
  items: itemsOf('runs.id = items.run_id'),
  step_index: ownProject,
  triage: ownProject,
} as const

/** What the view of items shows on a cluster, which joins rows by their project alone. */
export const ITEMS_ON_CLUSTER = itemsOf('runs.project_id = items.project_id and runs.id = items.run_id')
