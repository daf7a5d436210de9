// Reads the first rows of a file and guesses the use of each field from its name and values. Guarantee: it reads only
// the head of the file, and a guessed field is in every row and has values that fit its use.

import { fieldsOf } from '../../json/json.ts'
import { INPUT_LIMITS } from '../../kernel/limits/input.ts'
import { BadLines, itemLines } from './file-items.ts'
import { NotText, type Unpack, unpacked } from './file-text.ts'
import type { Fields } from './rows.ts'

/** The head is read in pieces of this size, so that an error further down does not hide the rows before it. */
const CHUNK_BYTES = 2048

/** A row's fields as JSON texts; a row that is not an object is one field with an empty name. */
export type Row = ReadonlyMap<string, string>

export interface FirstRows {
  rows: Row[]
  problems: readonly string[]
}

/** @param head the first `head_bytes` of a file of `size` bytes, or all of it */
export async function firstRows(file: string, head: Uint8Array, size: number): Promise<FirstRows> {
  const rows: Row[] = []
  const isWhole = size <= head.length
  try {
    for await (const piece of itemLines(file, chunksOf(head, isWhole), {})) {
      const lines = new TextDecoder().decode(piece).split('\n').filter(Boolean)
      rows.push(...lines.map(line => rowOf(fieldsOf(line).get('input')!)))
      if (rows.length >= INPUT_LIMITS.first_rows) break
    }
  } catch (error) {
    if (!(error instanceof BadLines)) throw error
    // A row cut off at the end of the head is not an error of the file.
    if (isWhole || rows.length === 0) return { rows, problems: error.named }
  }
  return { rows: rows.slice(0, INPUT_LIMITS.first_rows), problems: [] }
}

/** The same of a file that may be packed; no more of it is read than its head. */
export async function firstRowsOf(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  unpack: Unpack,
): Promise<FirstRows> {
  try {
    const { head, isWhole } = await headOf(unpacked(chunks, unpack))
    return await firstRows(file, head, isWhole ? head.length : Number.POSITIVE_INFINITY)
  } catch (error) {
    if (!(error instanceof NotText)) throw error
    return { rows: [], problems: [`${file} ${error.message}`] }
  }
}

async function headOf(chunks: AsyncIterable<Uint8Array>): Promise<{ head: Uint8Array; isWhole: boolean }> {
  const head = new Uint8Array(INPUT_LIMITS.head_bytes)
  let length = 0
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, head.length - length)
    head.set(part, length)
    length += part.length
    if (part.length < chunk.length) return { head, isWhole: false }
  }
  return { head: head.subarray(0, length), isWhole: true }
}

async function* chunksOf(head: Uint8Array, isWhole: boolean): AsyncGenerator<Uint8Array> {
  // An array may stand on one line; of others, a line that is cut off is left out.
  const end = isWhole ? head.length : head.lastIndexOf(0x0a) + 1 || head.length
  for (let at = 0; at < end; at += CHUNK_BYTES) yield head.subarray(at, Math.min(end, at + CHUNK_BYTES))
}

/** Reads a row from its JSON text. */
export const rowOf = (json: string): Row => (json.startsWith('{') ? fieldsOf(json) : new Map([['', json]]))

/** The fields that every row has. */
export const sharedFields = (rows: readonly Row[]): string[] =>
  [...(rows[0]?.keys() ?? [])].filter(name => rows.every(row => row.has(name)))

/** Names that mean an id; they come before other fields that end in `_id`. */
const ITEM_IDS = ['item_id', 'id']
/** Other names that often hold an id; they count only if their values look like ids. */
const REFERENCE = /(^|_)(reference|ref|number|key|no|code)$/
const PARTITIONS = ['partition_key', 'tenant', 'customer', 'account', 'organization', 'organisation', 'org']
const ITEM_FIELDS = ['input', 'item_id', 'partition_key']

/**
 * Guesses the fields for an item's id, partition and input. The input is the whole row, unless the rows are items
 * already: agents take objects, and the rows do not show whether an agent takes a text.
 *
 * @example guessFields(rows of '{"ticket_id":"T-1","tenant":"north","text":"…"}') // { item_id: 'ticket_id', partition_key: 'tenant' }
 */
export function guessFields(rows: readonly Row[]): Fields {
  const names = sharedFields(rows)
  const keysOf = (name: string) => rows.map(row => keyOf(row.get(name)!))
  const byName = (wanted: string) => names.find(name => plain(name) === wanted)
  const partitions = PARTITIONS.flatMap(name => [byName(name), byName(`${name}_id`)])
  const ids = names.filter(name => plain(name).endsWith('_id') && !partitions.includes(name))
  const references = names.filter(
    name => REFERENCE.test(plain(name)) && !partitions.includes(name) && keysOf(name).every(looksLikeId),
  )
  const item_id = [...ITEM_IDS.map(byName), ...ids, ...references].find(
    name => name !== undefined && areIds(keysOf(name)),
  )
  const partition_key = partitions.find(name => name !== undefined && !keysOf(name).includes(undefined))
  const areItems = names.includes('input') && rows.every(row => [...row.keys()].every(isItemField))
  return { item_id, partition_key, input: areItems ? 'input' : undefined }
}

const isItemField = (name: string) => ITEM_FIELDS.includes(name)

/** Turns `ticketId` and `Ticket ID` into `ticket_id`. */
const plain = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s-]+/g, '_')
    .toLowerCase()

const areIds = (keys: readonly (string | undefined)[]) =>
  keys.every(key => key !== undefined && key !== '') && new Set(keys).size === keys.length

/** One word with a digit in it, such as CASE-9000. */
const looksLikeId = (key: string | undefined) => key !== undefined && /^(?=.*\d)[\w.:/#-]+$/.test(key)

/** A value as a key: empty for null, undefined if it cannot be a key. */
function keyOf(json: string): string | undefined {
  if (json.length > INPUT_LIMITS.partition_key_bytes) return undefined
  const value: unknown = JSON.parse(json)
  if (value === null || typeof value === 'string') return value ?? ''
  return Number.isSafeInteger(value) ? String(value) : undefined
}
