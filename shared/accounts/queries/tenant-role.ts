// The role that reads for callers run under. Guarantee: it cannot sign in, and reads exactly the tables that have a
// policy or a view for it, and of the installation whether it is held; all else is refused to it.

import type { Sql } from '../../context.ts'
import { BEHIND_VIEWS, TENANT_ROLE, TOLD_TO_ALL } from '../tables/tenant.ts'

interface RoleRights {
  /** As an identifier of SQL. */
  member: string
  exists: boolean
  may_act: boolean
  /** What follows a grant of it. */
  terms: string
}

const KNOWS_TERMS = "current_setting('server_version_num')::int >= 160000"
/** To take a role on, without having its rights all along. PostgreSQL 15 knows members alone. */
const TERMS = `case when ${KNOWS_TERMS} then ' with inherit false, set true' else '' end`
/** For pg_has_role. */
export const MAY_SET_ROLE = `case when ${KNOWS_TERMS} then 'SET' else 'MEMBER' end`

/** For whoever has a name and no connection: a statement that every PostgreSQL takes. */
export const grantTenantRole = (member: string): string =>
  `do $$ begin execute format('grant ${TENANT_ROLE} to %I', '${member.replaceAll("'", "''")}') || ${TERMS}; end $$`

async function rights(sql: Sql): Promise<RoleRights> {
  const [row] = await sql<RoleRights[]>`
    select quote_ident(current_user) as member, r.oid is not null as exists,
      coalesce(pg_has_role(current_user, r.oid, ${sql.unsafe(MAY_SET_ROLE)}), false) as may_act,
      ${sql.unsafe(TERMS)} as terms
    from (values (1)) one left join pg_roles r on r.rolname = ${TENANT_ROLE}`
  return row!
}

/**
 * Makes the role where it is missing, and the current user one who may take it on. Returns the statements that
 * somebody with more rights has to run instead, none when all is well.
 */
export async function ensureTenantRole(sql: Sql): Promise<string[]> {
  const create = `create role ${TENANT_ROLE} nologin`
  const grant = ({ member, terms }: RoleRights) => `grant ${TENANT_ROLE} to ${member}${terms}`
  const before = await rights(sql)
  if (before.exists && before.may_act) return []
  // Databases of one server share it: another may be making it at this moment.
  if (!before.exists) await sql.unsafe(create).catch(() => {})
  const made = await rights(sql)
  if (made.exists && !made.may_act) await sql.unsafe(grant(made)).catch(() => {})
  const after = await rights(sql)
  if (after.exists && after.may_act) return []
  return after.exists ? [grant(after)] : [create, grant(after)]
}

const VIEWS = Object.entries(BEHIND_VIEWS).map(
  ([table, shown]) => `
    create or replace view ${TENANT_ROLE}.${table} as select * from ${table} where ${shown};
    grant select on ${TENANT_ROLE}.${table} to ${TENANT_ROLE}`,
)

const COLUMNS = Object.entries(TOLD_TO_ALL).map(
  ([table, told]) => `grant select (${told.join(', ')}) on ${table} to ${TENANT_ROLE}`,
)

/**
 * Shows the role what has a policy or a view for it by now. Each is a transaction of its own: one that replaced two
 * views would wait for a read that has them in turn, and the read for it.
 */
export const TENANT_READS: readonly string[] = [
  `do $$ declare readable record; begin
    create schema if not exists ${TENANT_ROLE};
    grant usage on schema ${TENANT_ROLE} to ${TENANT_ROLE};
    execute format('grant usage on schema %I to ${TENANT_ROLE}', current_schema());
    for readable in
      select format('%I.%I', schemaname, tablename) as name from pg_policies
      where schemaname = current_schema() and '${TENANT_ROLE}' = any(roles)
    loop
      execute 'grant select on ' || readable.name || ' to ${TENANT_ROLE}';
    end loop;
  end $$`,
  ...VIEWS,
  ...COLUMNS,
]
