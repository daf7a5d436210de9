// Packs a column of many rows into one text parameter, the cheapest way to hand rows to PostgreSQL in bulk:
// string_to_table took 228,000 rows a second, unnest(text[]) 136,000, jsonb_to_recordset 81,000.
//
// U+001E and U+001F cannot occur raw in valid JSON; free text goes through `plainText` first. In SQL the columns
// are read with `string_to_table($1, E'\x1e', E'\x1f')` and `$1::text::int[]`.

import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Fragment, Sql } from 'postgres'

const SEPARATOR = '\x1e'
const NULL = '\x1f'

/** A column of texts, none of which contains U+001E or U+001F. */
export const texts = (values: readonly (string | null)[]): string =>
  values.map(value => value ?? NULL).join(SEPARATOR)

/** A column of texts as rows. A single text travels unpacked: an empty text, packed, would be no row at all. */
export const textRows = (sql: Sql, values: readonly (string | null)[]) =>
  values.length === 1
    ? sql`unnest(array[${values[0]!}]::text[])`
    : sql`string_to_table(${texts(values)}, E'\\x1e', E'\\x1f')`

/** A column of numbers or booleans, as the text of a PostgreSQL array. */
export function numbers(values: readonly (number | boolean | null)[]): string {
  let packed = `{${values[0] ?? (values.length > 0 ? 'null' : '')}`
  for (let i = 1; i < values.length; i++) packed += `,${values[i]}`
  return `${packed}}`
}

/** From this version on, PostgreSQL looks up each number of a list in an index, whatever its statistics say. */
export const LOOKS_UP_LISTS = 17

/** What statements depend on. */
export interface Server {
  looksUpLists: boolean
}

/** A transaction does not know its server's version. */
export const serverOf = (sql: Sql): Server => ({
  looksUpLists: Number.parseInt(String(sql.parameters?.server_version ?? 0), 10) >= LOOKS_UP_LISTS,
})

/**
 * The condition that rows of one run have one of these numbers, by the alias of their table. If its statistics say that
 * the run is small, an older PostgreSQL finds the rows by the run alone and compares each with the list: items of a run
 * of 20,000 settled at a quarter of the rate. On those versions bounds limit the rows, and a subquery reads the list
 * once.
 */
export function hasSeq(sql: Sql, alias: string, seqs: readonly number[]) {
  const seq = sql.unsafe(`${alias}.seq`)
  const list = sql`${numbers(seqs)}::text::int[]`
  if (serverOf(sql).looksUpLists) return sql`${seq} = any(${list})`
  const bounds =
    seqs.length > 0 ? sql`${seq} between ${Math.min(...seqs)} and ${Math.max(...seqs)} and` : sql``
  return sql`${bounds} ${seq} = any((select ${list})::int[])`
}

/**
 * The same for the numbers that a CTE yields, as SQL text. They may be thousands, and lie far apart: on older versions
 * each row between the bounds is looked up in a hash table, 0.4 µs a row on 15, which `is true` keeps PostgreSQL from
 * planning as a join.
 */
export const hasSeqOf = (sql: Sql, alias: string, cte: string) => hasSeqIn(serverOf(sql), alias, cte)

export const hasSeqIn = ({ looksUpLists }: Server, alias: string, cte: string) =>
  looksUpLists
    ? `${alias}.seq = any(array(select ${cte}.seq from ${cte}))`
    : `${alias}.seq between (select min(${cte}.seq) from ${cte}) and (select max(${cte}.seq) from ${cte})
        and (${alias}.seq in (select ${cte}.seq from ${cte})) is true`

/** A column of times, as the text of a PostgreSQL array. */
export function times(values: readonly Date[]): string {
  return `{${values.map(value => value.toISOString()).join(',')}}`
}

/** A column sent to PostgreSQL: its type there, and its value in a row. */
export type ColumnOf<Row> = readonly [type: string, of: (row: Row) => Value]
type Value = string | number | boolean | null

const ARRAY_TYPES = new Set(['smallint', 'int', 'bigint', 'float8', 'boolean'])

/**
 * A select that returns these rows with these columns; no text may contain U+001E or U+001F. A column whose value is
 * the same in all rows is sent once: PostgreSQL takes longer to read, keep and join a set of values than to write them.
 * The first column must be of numbers and is always sent whole: it sets the number of rows. The statement's text stays
 * the same whatever is constant, so PostgreSQL keeps its plan.
 */
export function rowsOf<Row>(
  sql: Sql,
  rows: readonly Row[],
  columns: Readonly<Record<string, ColumnOf<Row>>>,
) {
  const given = Object.entries(columns).map(([name, column], place) =>
    travelling(sql, rows, name, column, place > 0),
  )
  const list = (pieces: readonly Fragment[]) => pieces.reduce((all, piece) => sql`${all}, ${piece}`)
  return sql`
    select ${list(given.map(({ read }) => read))}
    from rows from (${list(given.map(({ set }) => set))}) as c(${sql.unsafe(Object.keys(columns).join(', '))})`
}

/** A column as the set that is sent, empty where its value is sent once, and the expression that reads a value. */
function travelling<Row>(
  sql: Sql,
  rows: readonly Row[],
  name: string,
  [type, of]: ColumnOf<Row>,
  mayTravelOnce: boolean,
) {
  const isSame = mayTravelOnce && isSameInAll(rows, of)
  const once = isSame ? of(rows[0]!) : null
  const [column, as] = [sql.unsafe(`c.${name}`), sql.unsafe(type)]
  if (!ARRAY_TYPES.has(type)) {
    // At least two rows, or the values would be the same: an empty text packs to no row at all.
    const packed = isSame ? '' : texts(rows.map(of) as (string | null)[])
    return {
      set: sql`string_to_table(${packed}, E'\\x1e', E'\\x1f')`,
      read: sql`coalesce(${column}::${as}, ${once}::${as}) as ${sql.unsafe(name)}`,
    }
  }
  // As a number: the driver sends the type of a boolean but not of null, which made two statements of one.
  const figure = once === null ? null : Number(once)
  const cast = type === 'boolean' ? sql`int::boolean` : as
  const packed = isSame ? '{}' : numbers(rows.map(of) as (number | boolean | null)[])
  return {
    set: sql`unnest(${packed}::text::${as}[])`,
    read: sql`coalesce(${column}, ${figure}::${cast}) as ${sql.unsafe(name)}`,
  }
}

function isSameInAll<Row>(rows: readonly Row[], of: ColumnOf<Row>[1]): boolean {
  const first = of(rows[0]!)
  for (let i = 1; i < rows.length; i++) if (of(rows[i]!) !== first) return false
  return true
}

/**
 * A table's columns by name, for statements in a transaction: a migration that adds a column changes what `*` returns,
 * and PostgreSQL then refuses its kept plan, which ends the transaction.
 */
export const columnsOf = (table: PgTable, alias: string): string[] =>
  Object.values(getTableColumns(table)).map(column => `${alias}.${column.name}`)
