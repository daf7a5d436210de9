// Grants and checks the rights of the role that Assay works as, if another role owns its tables. Guarantee: the rights
// that are granted here are those that are checked here, and granting them again changes nothing.

import { grantTenantRole, MAY_SET_ROLE } from '../../accounts/queries/tenant-role.ts'
import { TENANT_ROLE } from '../../accounts/tables/tenant.ts'
import type { Sql } from '../../context.ts'
import type { RoleState } from '../rules/faults.ts'
import { SCHEMA } from '../rules/schema.gen.ts'

/** Held by a session that migrates; any number that other users of the same database are unlikely to pick. */
export const MIGRATION_LOCK = 7_261_538_905_417n

const RIGHTS = ['select', 'insert', 'update', 'delete']
const JOURNAL = 'drizzle.__drizzle_migrations'
/** Functions that change tables run as their owner. Everybody may execute the others, unless that was revoked. */
const FUNCTIONS = [
  'make_step_week(text, date, int)',
  'drop_step_week(date)',
  'ended_items(anyelement)',
  'lock_room(uuid, uuid, uuid, int, int, int)',
  'take_range(uuid, uuid, uuid, int, int, int, int)',
  'take_due(uuid, uuid, uuid, int, int, int, int, boolean)',
  'take_due_fair(uuid, uuid, uuid, int, int, int, int, boolean, int, int)',
  'take_fair(uuid, uuid, uuid, int, int, int, int, int, int)',
]

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const policyOf = (role: string) => `works_as_${role}`

/** What the role needs to work, as statements for a role that owns the tables and may grant the tenant role. */
export const grantsFor = (role: string): string[] => [...rightsFor(role), grantTenantRole(role)]

/** The part of these grants that a migration may have added to. */
export function rightsFor(role: string): string[] {
  const to = `to ${quoted(role)}`
  return [
    useOfSchema(role),
    `grant usage on schema drizzle ${to}`,
    `grant select on ${JOURNAL} ${to}`,
    `grant ${RIGHTS.join(', ')} on ${SCHEMA.tables.join(', ')} ${to}`,
    `grant usage on sequence ${SCHEMA.sequences.join(', ')} ${to}`,
    `grant execute on function ${FUNCTIONS.join(', ')} ${to}`,
    ...SCHEMA.tables.map(table => policyFor(role, table)),
  ]
}

/** If nothing was granted, PostgreSQL only warns and names nobody who could: another role may own the schema. */
const useOfSchema = (role: string) => {
  const name = `'${role.replaceAll("'", "''")}'`
  return `do $$ declare use text := format('grant usage on schema %I to %I', current_schema(), ${name}); begin
  if not has_schema_privilege(${name}, current_schema(), 'usage') then
    execute use;
  end if;
  if not has_schema_privilege(${name}, current_schema(), 'usage') then
    raise warning 'the role % may not use the schema: as the owner of that, run: %', ${name}, use;
  end if;
end $$`
}

/** Row security shows another role's tables only through a policy. It is created once, because that locks the table. */
const policyFor = (role: string, table: string) => `do $$ begin
  if (select relrowsecurity from pg_class where oid = '${table}'::regclass) and not exists (
    select from pg_policy where polrelid = '${table}'::regclass and polname = left('${policyOf(role).replaceAll("'", "''")}', 63)
  ) then
    create policy ${quoted(policyOf(role))} on ${table} to ${quoted(role)} using (true) with check (true);
  end if;
end $$`

/** Roles that were granted everything once, and need what a migration added. */
export async function findRunningRoles(sql: Sql): Promise<string[]> {
  const rows = await sql<{ role: string }[]>`
    select rolname as role from pg_policy join pg_roles r on r.oid = any(polroles)
    where polrelid = to_regclass('runs') and polname = left('works_as_' || rolname, 63)`
  return rows.map(({ role }) => role)
}

/** The state of the role that the connection works as. Everybody may read catalogs, so no query here is refused. */
export async function readRoleState(sql: Sql): Promise<RoleState> {
  const [seen] = await sql<{ role: string; journal: boolean; readable: boolean; lacks: string[] }[]>`
    with wanted as (select name, to_regclass(quote_ident(name)) as oid from unnest(${SCHEMA.tables}::text[]) name),
    journal as (
      select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'drizzle' and c.relname = '__drizzle_migrations')
    select current_user::text as role, exists (select 1 from journal) as journal,
      coalesce((select readable from journal), false) as readable,
      case when not exists (select 1 from wanted where oid is not null) then '{usage on the schema of the tables}'::text[]
      else array(
        select string_agg(p, ', ' order by n) || ' on ' || name
        from wanted, unnest(${RIGHTS}::text[]) with ordinality as rights (p, n)
        where oid is not null and not has_table_privilege(oid, p) group by name
      ) || array(
        select 'a policy that shows the rows of ' || name from wanted w join pg_class c on c.oid = w.oid
        where c.relrowsecurity and row_security_active(c.oid) and not exists (
          select from pg_policy p where p.polrelid = c.oid and p.polcmd = '*' and p.polpermissive
            and exists (select 1 from unnest(p.polroles) r where r = 0 or pg_has_role(r, 'usage')))
      ) || array(
        select 'usage on ' || name from unnest(${SCHEMA.sequences}::text[]) name
        where to_regclass(name) is not null and not has_sequence_privilege(to_regclass(name), 'usage')
      ) || array(
        select 'execute on ' || name from unnest(${FUNCTIONS}::text[]) name
        where to_regprocedure(name) is not null and not has_function_privilege(to_regprocedure(name), 'execute')
      ) || array(
        select 'to set the role ' || rolname from pg_roles
        where rolname = ${TENANT_ROLE} and not pg_has_role(current_user, oid, ${sql.unsafe(MAY_SET_ROLE)}))
      end as lacks`
  const { role, journal, readable, lacks } = seen!
  if (!journal) return { role, version: null, lacks: [] }
  if (!readable)
    return { role, version: undefined, lacks: ['select on the versions of the schema', ...lacks] }
  const [latest] = await sql<{ version: number | null }[]>`
    select max(created_at)::float8 as version from ${sql.unsafe(JOURNAL)}`
  const version = latest!.version
  return { role, version, lacks, migrating: (version ?? 0) < SCHEMA.version && (await isMigrating(sql)) }
}

async function isMigrating(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ any: boolean }[]>`
    select exists (select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = ${MIGRATION_LOCK.toString()}::bigint) as any`
  return found!.any
}
