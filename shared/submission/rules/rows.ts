// What a row of a file is, before it becomes an item.

/** Which fields of a row become parts of its item. */
export interface Fields {
  /** The fields that hold its item_id and its partition_key. */
  item_id?: string | undefined
  partition_key?: string | undefined
  /** The field that is its input; by default the whole row. */
  input?: string | undefined
}

/** A row of a file with the line it begins on: its JSON text, or why it has none. */
export type Row = { line: number } & ({ text: string; facts?: RowFacts } | { problem: string; last?: true })

/** What may be odd about a row of a table. */
export interface RowFacts {
  /** How many lines it has in the file. */
  lines: number
  isEmpty: boolean
}
