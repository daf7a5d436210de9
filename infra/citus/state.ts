// Reads the state of a database before it is distributed. Guarantee: it only reads; an obstacle is reported in one
// sentence, with what to do.

import type { Sql } from 'postgres'
import { TENANT_ROLE } from '../../shared/accounts/tables/tenant.ts'
import type { Sql as ProductSql } from '../../shared/context.ts'
import { readRoleState } from '../../shared/upkeep/queries/running-role.ts'
import { SCHEMA } from '../../shared/upkeep/rules/schema.gen.ts'
import { ExitError } from '../local/exit-error.ts'
import { FOREIGN_KEYS, type ForeignKey } from './keys.ts'
import { PLACES, type Place, TABLES, type TableName } from './places.ts'
import type { Policy } from './tenant-views.ts'

/** The oldest Citus version that this was tested with. */
const OLDEST = 13

export interface State {
  schema: string
  database: string
  places: Map<TableName, Place>
  /** Columns by the constraint's name. */
  keys: Map<string, string[]>
  foreignKeys: Map<string, string[]>
  policies: Policy[]
  /** Tables with row security. */
  secured: string[]
  /** The definition of the view `items`. */
  itemsView: string
  /** The views for callers' reads. */
  views: string[]
  /** Definitions, by table, of the views that lack columns which a migration has added to their table. */
  narrowViews: Map<string, string>
  /** The views for callers' reads, and the tables behind them, that the role of these reads may not select from. */
  ungranted: string[]
  /** The settings (first line) and the text of each function, by its name with its arguments. */
  functions: Map<string, string>
  /** Functions that run on the node of their project. */
  delegated: string[]
  settings: string[]
  workers: number
}

/** @throws ExitError that names the obstacle */
export async function refuseUnready(sql: Sql): Promise<void> {
  const [seen] = await sql<{ version: string | null; available: string | null }[]>`
    select (select extversion from pg_extension where extname = 'citus') as version,
      (select default_version from pg_available_extensions where name = 'citus') as available`
  const { version, available } = seen!
  if (version === null) {
    const todo = available === null ? 'install Citus on every node, then run' : 'run'
    throw new ExitError(
      'citus_missing',
      `this database has no Citus: ${todo} \`create extension citus\` in it, on the coordinator and on every worker.`,
    )
  }
  if (Number.parseInt(version, 10) < OLDEST)
    throw new ExitError(
      'citus_too_old',
      `Citus ${version} is too old: upgrade it to ${OLDEST} or newer, then run \`alter extension citus update\`.`,
    )
  const state = await readRoleState(sql as unknown as ProductSql)
  if ((state.version ?? 0) < SCHEMA.version)
    throw new ExitError(
      'schema_behind',
      `the schema is older than this version needs (${SCHEMA.migration}): run infra/migrate.ts of this version first.`,
    )
  await refuseNodes(sql)
  await refuseOthers(sql)
}

async function refuseNodes(sql: Sql): Promise<void> {
  const nodes = await sql<{ groupid: number; isactive: boolean; name: string }[]>`
    select groupid, isactive, nodename || ':' || nodeport as name from pg_dist_node where noderole = 'primary'`
  if (!nodes.some(node => node.groupid === 0))
    throw new ExitError(
      'coordinator_unknown',
      "the coordinator does not know its own address: run `select citus_set_coordinator_host('HOST', PORT)` on it.",
    )
  const workers = nodes.filter(node => node.groupid !== 0)
  if (workers.length === 0)
    throw new ExitError(
      'no_workers',
      "the cluster has no worker: add each by `select citus_add_node('HOST', PORT)` on the coordinator.",
    )
  const inactive = workers.find(node => !node.isactive)
  if (inactive)
    throw new ExitError(
      'worker_inactive',
      `the worker ${inactive.name} is not active: run \`select citus_activate_node('HOST', PORT)\` for it.`,
    )
  const answers = await sql<{ name: string; success: boolean; result: string }[]>`
    select nodename || ':' || nodeport as name, success, result
    from run_command_on_workers('select extversion from pg_extension where extname = ''citus''')`
  const wrong = answers.find(answer => !answer.success || !(Number.parseInt(answer.result, 10) >= OLDEST))
  if (wrong)
    throw new ExitError(
      'worker_unusable',
      `the worker ${wrong.name} does not answer with Citus ${OLDEST} or newer (${wrong.result || 'it has none'}): put that right, then run this again.`,
    )
}

/** Refuses while others are connected: keys are exchanged and rows move to their nodes. */
async function refuseOthers(sql: Sql): Promise<void> {
  const [others] = await sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where datname = current_database()
      and application_name = 'assay' and pid <> pg_backend_pid()`
  if (others!.n > 0)
    throw new ExitError(
      'others_at_work',
      `${others!.n} connections of Assay are open to this database: stop every process of it, then run this again.`,
    )
}

/** @throws ExitError naming rows that a foreign key with the project would refuse */
export async function refuseRows(sql: Sql, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, columns, to, toColumns } of keys) {
    const same = columns.map((column, i) => `r.${toColumns[i]} = t.${column}`).join(' and ')
    const [wrong] = await sql.unsafe<{ n: number; one: string }[]>(
      `select count(*)::int as n, min(t::text) as one from ${table} t where not exists (select from ${to} r where ${same})`,
    )
    if (wrong!.n > 0)
      throw new ExitError(
        'rows_without_project',
        `${wrong!.n} rows of ${table} name a row of ${to} that is not of their project, such as ${wrong!.one}: remove them, then run this again.`,
      )
  }
}

export const widenedForeignKeys = FOREIGN_KEYS.filter(key => key.isWidened)

export async function readState(sql: Sql): Promise<State> {
  const [where] = await sql<{ schema: string; database: string; workers: number }[]>`
    select current_schema()::text as schema, current_database()::text as database,
      (select count(*)::int from pg_dist_node where noderole = 'primary' and groupid <> 0) as workers`
  const placed = await sql<{ name: TableName; type: string }[]>`
    select table_name::text as name, citus_table_type as type from citus_tables
    where table_name::text = any(${TABLES})`
  const constraints = await sql<{ name: string; type: string; columns: string[] }[]>`
    select conname as name, contype as type, array(
      select attname::text from unnest(conkey) with ordinality k(n, i) join pg_attribute on attrelid = conrelid and attnum = n
      order by i) as columns
    from pg_constraint where conrelid::regclass::text = any(${TABLES}) and contype in ('p', 'u', 'f') and conparentid = 0`
  const policies = await sql<Policy[]>`
    select tablename as table, qual as condition from pg_policies
    where schemaname = current_schema() and policyname = 'tenant'`
  const secured = await sql<{ name: string }[]>`
    select relname as name from pg_class where relname = any(${TABLES}) and relrowsecurity
      and relnamespace = current_schema()::regnamespace`
  const functions = await sql<{ name: string; text: string; config: string[] | null; delegated: boolean }[]>`
    select p.oid::regprocedure::text as name, prosrc as text, proconfig as config, d.distribution_argument_index is not null as delegated
    from pg_proc p left join pg_dist_object d on d.classid = 'pg_proc'::regclass and d.objid = p.oid
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')`
  const settings = await sql<{ setting: string }[]>`
    select unnest(setconfig) as setting from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database()) and setrole = 0`
  const keysOf = (types: string) =>
    new Map(constraints.filter(one => types.includes(one.type)).map(one => [one.name, one.columns]))
  return {
    ...where!,
    ...(await readViews(sql)),
    places: new Map(placed.map(({ name, type }) => [name, type as Place])),
    keys: keysOf('pu'),
    foreignKeys: keysOf('f'),
    policies,
    secured: secured.map(({ name }) => name),
    functions: new Map(
      functions.map(({ name, text, config }) => [name, `${config?.join(' ') ?? ''}\n${text}`]),
    ),
    delegated: functions.filter(one => one.delegated).map(one => one.name),
    settings: settings.map(({ setting }) => setting),
  }
}

async function readViews(
  sql: Sql,
): Promise<Pick<State, 'itemsView' | 'views' | 'narrowViews' | 'ungranted'>> {
  const [items] = await sql<{ definition: string }[]>`
    select pg_get_viewdef((${TENANT_ROLE} || '.items')::regclass) as definition`
  const views = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = to_regnamespace(${TENANT_ROLE}) and relkind = 'v'`
  const narrow = await sql<{ name: string; definition: string }[]>`
    select v.relname as name, pg_get_viewdef(v.oid) as definition
    from pg_class v join pg_class t on t.relname = v.relname and t.relnamespace = current_schema()::regnamespace
    where v.relnamespace = to_regnamespace(${TENANT_ROLE}) and v.relkind = 'v' and t.relkind in ('r', 'p') and exists (
      select from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and not exists (
        select from pg_attribute b where b.attrelid = v.oid and b.attname = a.attname))
    order by 1`
  const ungranted = await sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name from pg_class v join pg_class c on c.relname = v.relname and c.relkind in ('r', 'p', 'v')
      join pg_namespace n on n.oid = c.relnamespace and n.nspname in (${TENANT_ROLE}, current_schema())
    where v.relnamespace = to_regnamespace(${TENANT_ROLE}) and v.relkind = 'v' and not has_table_privilege(${TENANT_ROLE}, c.oid, 'select')
    order by 1`
  return {
    itemsView: items!.definition,
    views: views.map(({ name }) => name),
    narrowViews: new Map(narrow.map(({ name, definition }) => [name, definition])),
    ungranted: ungranted.map(({ name }) => name),
  }
}

/** Whether a table is in its place already. */
export const isPlaced = (state: State, table: TableName): boolean => state.places.get(table) === PLACES[table]
