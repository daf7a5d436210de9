// Plans the remaining steps to distribute a database by project. Guarantee: no step that was done is repeated, and no
// step begins before the previous ones have ended.

import { BEHIND_VIEWS, ITEMS_ON_CLUSTER, TENANT_ROLE } from '../../shared/accounts/tables/tenant.ts'
import { FOREIGN_KEYS, FORGONE, type ForeignKey, type Key, WIDENED } from './keys.ts'
import { BY, FIRST, PLACES, TABLES } from './places.ts'
import { isPlaced, type State } from './state.ts'
import { viewsFor } from './tenant-views.ts'

export interface Step {
  says: string
  /** Executed in one transaction. */
  statements: string[]
}

const list = (columns: readonly string[]) => columns.join(', ')
const isSame = (a: readonly string[] | undefined, b: readonly string[]) =>
  a !== undefined && `${a}` === `${b}`

/** Settings for each session of the database. */
export const SETTINGS: Record<string, string> = {
  // Safe here: a trigger writes only rows of its own project, which are on its node.
  'citus.enable_unsafe_triggers': 'on',
  // A read for a caller sets whose rows it may see, and the nodes have to know that.
  'citus.propagate_set_commands': 'local',
  // Lets a transaction that has read from all nodes write to reference tables afterwards.
  'citus.multi_shard_modify_mode': 'sequential',
  // In ms, 30,000 unless set: a statement waits so long for a session on a node whose machine is silent.
  'citus.node_connection_timeout': '3000',
}

export function stepsLeft(state: State, shards: number): Step[] {
  const views = viewSteps(state)
  const places = TABLES.filter(table => !isPlaced(state, table))
  const keys = WIDENED.filter(key => !isSame(state.keys.get(key.name), key.columns))
  const changed = new Set([...places, ...keys.map(key => key.table)])
  const apart = FOREIGN_KEYS.filter(key => changed.has(key.table) || changed.has(key.to))
  const foreignKeys = FOREIGN_KEYS.filter(key => apart.includes(key) || !state.foreignKeys.has(key.name))
  return [
    ...settingSteps(state),
    ...views,
    ...itemsViewSteps(state),
    ...narrowViewSteps(state),
    ...dropForeignKeys([...apart, ...FORGONE].filter(key => state.foreignKeys.has(key.name))),
    ...keys.map(exchangeKey),
    ...places.map(table => ({
      says: `${table} becomes a ${PLACES[table]} table`,
      statements: [
        // Once a reference table: such a table cannot be distributed as it is.
        ...(state.places.has(table) ? [`select undistribute_table('${table}')`] : []),
        ...placeTable(table, shards),
      ],
    })),
    ...functionSteps(state),
    ...foreignKeys.map(foreignKeyStep),
    ...grantSteps(state, foreignKeys.length > 0),
  ]
}

function settingSteps(state: State): Step[] {
  const missing = Object.entries(SETTINGS).filter(
    ([name, value]) => !state.settings.includes(`${name}=${value}`),
  )
  const database = `"${state.database.replaceAll('"', '""')}"`
  const statements = missing.flatMap(([name, value]) => {
    const statement = `alter database ${database} set ${name} = ${value}`
    return [statement, `select run_command_on_workers($$${statement}$$)`, `set local ${name} = ${value}`]
  })
  if (statements.length === 0) return []
  return [{ says: 'the database gets the settings that triggers and reads for callers need', statements }]
}

/** Replaces policies by views, since Citus supports no policy that queries another table. */
function viewSteps(state: State): Step[] {
  if (state.policies.length === 0 && state.secured.length === 0) return []
  const views = viewsFor(
    state.policies.filter(({ table }) => !BEHIND_VIEW.includes(table)),
    state.schema,
  )
  return [
    {
      says: 'reads for callers go through views instead of policies',
      statements: [
        ...views.flatMap(view => view.statements),
        ...state.policies.map(({ table }) => `drop policy tenant on ${table}`),
        ...state.secured.map(table => `alter table ${table} disable row level security`),
        // Callers' sessions connect to the workers under this role.
        `alter role ${TENANT_ROLE} login`,
      ],
    },
  ]
}

/** Adds new columns to views, which have only the columns that their table had when they were created. */
function narrowViewSteps({ narrowViews }: State): Step[] {
  const own = [...narrowViews].filter(([table]) => !BEHIND_VIEW.includes(table))
  return own.map(([table, definition]) => ({
    says: `reads for callers see the new columns of ${table}`,
    statements: [
      `create or replace view ${TENANT_ROLE}.${table} as select * ${definition.slice(definition.indexOf('FROM'))}`,
    ],
  }))
}

/** Replaces the view of items, which a migration creates for a single machine. */
function itemsViewSteps({ schema, itemsView }: State): Step[] {
  if (itemsView.includes('runs.project_id = items.project_id')) return []
  return [
    {
      says: 'the view of items joins runs by their project',
      statements: [
        `create or replace view ${TENANT_ROLE}.items as select * from ${schema}.items where ${ITEMS_ON_CLUSTER}`,
      ],
    },
  ]
}

/** Tables whose view comes from a migration. */
const BEHIND_VIEW = Object.keys(BEHIND_VIEWS)

/**
 * Grants callers' reads what their views need. A node also requires the reader's right to the table behind a view; and
 * a foreign key to a reference table revokes what was granted on views of a local table.
 */
function grantSteps(state: State, all: boolean): Step[] {
  const views = [...state.policies.map(({ table }) => table), ...state.views]
  const wanted = [
    ...[...new Set(views)].map(table => `${TENANT_ROLE}.${table}`),
    ...BEHIND_VIEW.map(table => `${state.schema}.${table}`),
  ]
  const missing = all ? wanted : state.ungranted
  if (missing.length === 0) return []
  return [
    {
      says: 'reads for callers may read what their views show',
      statements: [`grant select on ${missing.join(', ')} to ${TENANT_ROLE}`],
    },
  ]
}

function dropForeignKeys(there: readonly ForeignKey[]): Step[] {
  if (there.length === 0) return []
  return [
    {
      says: `${there.length} foreign keys are taken away until their tables are placed`,
      statements: there.map(key => `alter table ${key.table} drop constraint ${key.name}`),
    },
  ]
}

function exchangeKey({ table, name, kind, columns, declared }: Key): Step {
  return {
    says: `the key ${name} takes the project: (${list(columns)})`,
    statements: [
      `alter table ${table} drop constraint if exists ${name}`,
      `alter table ${table} add constraint ${name} ${kind} (${list(columns)})`,
      // Rows are still looked up by the former key alone.
      ...(kind === 'primary key'
        ? [`create index if not exists ${table}_${declared.join('_')} on ${table} (${list(declared)})`]
        : []),
    ],
  }
}

/** Tables whose rows get their ids from a sequence. */
const NUMBERED: readonly string[] = ['claims', 'unindexed_steps']
/** A worker's ids begin here: those of rows from another cluster would be given out again. */
const OF_WORKERS = 2n ** 48n
const numberAnew = (table: string) =>
  `update ${table} set id = nextval('${table}_id_seq') where id >= ${OF_WORKERS}`

function placeTable(table: (typeof TABLES)[number], shards: number): string[] {
  if (PLACES[table] === 'reference') return [`select create_reference_table('${table}')`]
  // So that Citus knows of it: else a worker would commit its part of a transaction before the coordinator has.
  if (PLACES[table] === 'local') return [`select citus_add_local_table_to_metadata('${table}')`]
  const beside =
    table === FIRST ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => '${FIRST}'`
  return [
    'set local citus.enable_unsafe_triggers = on',
    // Rows that move to their node were counted when they were written: no trigger may fire for them again.
    `alter table ${table} disable trigger user`,
    ...(NUMBERED.includes(table) ? [numberAnew(table)] : []),
    `select create_distributed_table('${table}', '${BY}', ${beside})`,
    `alter table ${table} enable trigger user`,
  ]
}

const TAKES_ITEMS = /^take_\w+\(/

/** A plan that is made before its project is known cannot be sent to a node. */
function functionSteps(state: State): Step[] {
  const isLeft = ([name, text]: [string, string]) =>
    TAKES_ITEMS.test(name) &&
    (text.split('\n')[0]!.includes('plan_cache_mode') || !state.delegated.includes(name))
  return [...state.functions].filter(isLeft).map(([name]) => ({
    says: `${name.split('(')[0]}() is answered by the node of its project`,
    statements: [
      `alter function ${name} reset plan_cache_mode`,
      `select create_distributed_function('${name}', 'of_project', colocate_with => '${FIRST}')`,
    ],
  }))
}

const foreignKeyStep = (key: ForeignKey): Step => ({
  says: `${key.table} refers to ${key.to} by (${list(key.columns)})`,
  statements: [addForeignKey(key)],
})

/** One statement writes a run and its idempotency key, and a cluster executes its parts one after another. */
const DEFERRED = ['idempotency_keys_project_id_run_id_runs_project_id_id_fk']

const addForeignKey = ({ table, name, columns, to, toColumns, onDelete }: ForeignKey) =>
  `alter table ${table} add constraint ${name} foreign key (${list(columns)}) references ${to} (${list(toColumns)}) on delete ${onDelete}${DEFERRED.includes(name) ? ' deferrable initially deferred' : ''}`
