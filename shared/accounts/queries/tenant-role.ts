// The role that callers' reads run under. Guarantee: it cannot sign in, and reads exactly the tables that have a policy
// or a view for it, and whether the installation is held; everything else is refused.

import type { Sql } from '../../context.ts'
import { BEHIND_VIEWS, PUBLIC_COLUMNS, TENANT_ROLE } from '../tables/tenant.ts'

interface RoleRights {
  /** An SQL identifier. */
  member: string
  exists: boolean
  may_act: boolean
  /** The clause that follows a grant of the role. */
  terms: string
}

const KNOWS_TERMS = "current_setting('server_version_num')::int >= 160000"
/** Allows SET ROLE without inheriting the role's rights. PostgreSQL 15 knows only membership. */
const TERMS = `case when ${KNOWS_TERMS} then ' with inherit false, set true' else '' end`
/** The privilege name for pg_has_role. */
export const MAY_SET_ROLE = `case when ${KNOWS_TERMS} then 'SET' else 'MEMBER' end`

/** For a caller that has a user's name and no connection: a statement that every PostgreSQL version accepts. */
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
 * Creates the role if it is missing, and lets the current user take it on. Returns the statements that somebody with
 * more rights has to run instead; none when all is well.
 */
export async function ensureTenantRole(sql: Sql): Promise<string[]> {
  const create = `create role ${TENANT_ROLE} nologin`
  const grant = ({ member, terms }: RoleRights) => `grant ${TENANT_ROLE} to ${member}${terms}`
  const before = await rights(sql)
  if (before.exists && before.may_act) return []
  // Databases of one server share the role: another one may be creating it at this moment.
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

const COLUMNS = Object.entries(PUBLIC_COLUMNS).map(
  ([table, columns]) => `grant select (${columns.join(', ')}) on ${table} to ${TENANT_ROLE}`,
)

/**
 * Statements that show the role everything with a policy or a view for it. Each is a transaction of its own: one that
 * replaced two views could deadlock with a read that uses both.
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
