// Checks what must hold for the tables before they can be distributed; needs no cluster.

import { expect, it } from 'vitest'
import { SCHEMA } from '../../shared/upkeep/rules/schema.gen.ts'
import { FOREIGN_KEYS, KEYS, requiredOf, UNIQUE_INDEXES } from './keys.ts'
import { BY, PLACES, TABLES, tablesAt } from './places.ts'

const isOfProject = ({ table, columns }: { table: keyof typeof PLACES; columns: readonly string[] }) =>
  PLACES[table] !== 'distributed' || columns.includes(BY)

it('every table has a placement', () => {
  expect([...TABLES].sort()).toEqual([...SCHEMA.tables].sort())
})

it('every distributed table has a required project column', () => {
  expect(tablesAt('distributed').filter(table => !requiredOf(table).includes(BY))).toEqual([])
})

it('every primary key and unique index of a distributed table contains the project', () => {
  expect([...KEYS, ...UNIQUE_INDEXES].filter(key => !isOfProject(key))).toEqual([])
})

it('a foreign key between distributed tables has the project on both sides, at the same position', () => {
  const between = FOREIGN_KEYS.filter(key => PLACES[key.to] === 'distributed')
  expect(between.length).toBeGreaterThan(5)
  expect(
    between.filter(
      key =>
        PLACES[key.table] !== 'distributed' ||
        key.columns.indexOf(BY) < 0 ||
        key.columns.indexOf(BY) !== key.toColumns.indexOf(BY),
    ),
  ).toEqual([])
})

it('no foreign key refers to a table that only the coordinator has', () => {
  expect(FOREIGN_KEYS.filter(key => PLACES[key.to] === 'local')).toEqual([])
})

it('every foreign key refers to an existing key', () => {
  const keys = KEYS.map(key => `${key.table} ${[...key.columns].sort()}`)
  expect(
    FOREIGN_KEYS.filter(key => !keys.includes(`${key.to} ${[...key.toColumns].sort()}`)).map(key => key.name),
  ).toEqual([])
})
