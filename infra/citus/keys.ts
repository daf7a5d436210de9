// Derives the keys and foreign keys of tables on a cluster from their declarations. Guarantee: each key of a
// distributed table contains the project, and a foreign key between two of them has it on both sides.

import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../../shared/tables.ts'
import { BY, PLACES, TABLES, type TableName } from './places.ts'

export interface Key {
  table: TableName
  name: string
  kind: 'primary key' | 'unique' | 'unique nulls not distinct'
  columns: readonly string[]
  /** The columns on a single machine. */
  declared: readonly string[]
}

export interface ForeignKey {
  table: TableName
  name: string
  columns: readonly string[]
  to: TableName
  toColumns: readonly string[]
  onDelete: string
  /** Whether it lacks the project on a single machine, so that existing rows may violate it here. */
  isWidened: boolean
}

type Config = ReturnType<typeof getTableConfig>
const configs = new Map<TableName, Config>()
for (const table of Object.values(schema)) {
  if (!is(table, PgTable)) continue
  const config = getTableConfig(table)
  configs.set(config.name as TableName, config)
}
const isDistributed = (table: TableName) => PLACES[table] === 'distributed'
const isOfProject = (table: TableName, columns: readonly string[]) =>
  !isDistributed(table) || columns.includes(BY)
const withProject = (table: TableName, columns: readonly string[]) =>
  isOfProject(table, columns) ? columns : [BY, ...columns]
const namesOf = (columns: readonly { name: string }[]) => columns.map(column => column.name)

function declaredKeys(table: TableName): Omit<Key, 'columns' | 'table'>[] {
  const { columns, primaryKeys, uniqueConstraints } = configs.get(table)!
  return [
    ...columns
      .filter(column => column.primary)
      .map(({ name }) => ({ name: `${table}_pkey`, kind: 'primary key' as const, declared: [name] })),
    ...primaryKeys.map(key => ({
      name: key.getName(),
      kind: 'primary key' as const,
      declared: namesOf(key.columns),
    })),
    ...columns
      .filter(column => column.isUnique)
      .map(column => ({ name: column.uniqueName!, kind: 'unique' as const, declared: [column.name] })),
    ...uniqueConstraints.map(key => ({
      name: key.name!,
      kind: key.nullsNotDistinct ? ('unique nulls not distinct' as const) : ('unique' as const),
      declared: namesOf(key.columns),
    })),
  ]
}

/** All keys as they are on a cluster. */
export const KEYS: readonly Key[] = TABLES.flatMap(table =>
  declaredKeys(table).map(key => ({ ...key, table, columns: withProject(table, key.declared) })),
)

/** The keys that get the project as a column on a cluster. */
export const WIDENED = KEYS.filter(key => key.columns !== key.declared)

/** Unique indexes that are not constraints; they stay unchanged. */
export const UNIQUE_INDEXES = TABLES.flatMap(table =>
  configs
    .get(table)!
    .indexes.filter(({ config }) => config.unique)
    .map(({ config }) => ({
      table,
      name: config.name!,
      columns: namesOf(config.columns as { name: string }[]),
    })),
)

function foreignKeysOf(table: TableName): ForeignKey[] {
  return configs.get(table)!.foreignKeys.map(key => {
    const { columns, foreignColumns, foreignTable } = key.reference()
    const to = getTableConfig(foreignTable).name as TableName
    const own = namesOf(columns)
    const theirs = namesOf(foreignColumns)
    const isWidened = isDistributed(to) && !own.includes(BY)
    return {
      table,
      name: key.getName(),
      columns: isWidened ? [BY, ...own] : own,
      to,
      toColumns: isWidened ? [BY, ...theirs] : theirs,
      onDelete: key.onDelete ?? 'no action',
      isWidened,
    }
  })
}

/**
 * Written by hand in a migration, since each of the two tables refers to the other. Citus sets no column of a key to
 * null: there the key refuses to delete a deployment that is current, and nothing does that except with its agent.
 */
const BY_HAND: ForeignKey = {
  table: 'agents',
  name: 'agents_current_deployment',
  columns: [BY, 'current_deployment_id'],
  to: 'deployments',
  toColumns: [BY, 'id'],
  onDelete: 'no action',
  isWidened: false,
}

const DECLARED: readonly ForeignKey[] = [...TABLES.flatMap(foreignKeysOf), BY_HAND]
const isToCoordinator = ({ table, to }: ForeignKey) => isDistributed(table) && PLACES[to] === 'local'

export const FOREIGN_KEYS = DECLARED.filter(key => !isToCoordinator(key))

/** Keys that a cluster cannot have, since it has one of the two tables on the coordinator alone. */
export const FORGONE = DECLARED.filter(isToCoordinator)

/** The not-null columns of a table. */
export const requiredOf = (table: TableName): string[] =>
  namesOf(configs.get(table)!.columns.filter(column => column.notNull || column.primary))
