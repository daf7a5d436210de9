// Checks a Parquet file before hyparquet decodes it, which believes what a file claims: a run of two billion values in ten bytes,
// a page that unpacks to gigabytes, a size below zero. Guarantee: no more than HELD_BYTES of pages and values are decoded at a
// time, and what claims more than it holds ends with its column and what is wrong.

import * as zlib from 'node:zlib'
import type { AsyncBuffer, FileMetaData, PageHeader, SchemaElement, SchemaTree } from 'hyparquet'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js'
import { compressors as others } from 'hyparquet-compressors'
import { INPUT_LIMITS } from '../kernel/limits/input.ts'

const MiB = 1024 * 1024
/** DuckDB writes the largest, of up to 100 MB. */
const PAGE_BYTES = 128 * MiB
/** pyarrow writes a million equal values as one page. */
const PAGE_VALUES = 2 * MiB
const HELD_BYTES = 320 * MiB
const FOOTER_BYTES = 16 * MiB
const COLUMNS = 16_384
const DEPTH = INPUT_LIMITS.json_depth
/** In memory: a place in a list, and a value that is an object of its own. */
const COST = { place: 8, object: 100 }

/** Node's own stop at a length; those of hyparquet's unpack zstd to whatever it has. */
export const compressors: typeof others = {
  ...others,
  ZSTD: (input, length) => zlib.zstdDecompressSync(input, { maxOutputLength: Math.max(length, 1) }),
  BROTLI: (input, length) => zlib.brotliDecompressSync(input, { maxOutputLength: Math.max(length, 1) }),
}

/** @throws Error unless the footer may be read */
export async function checkFooter(file: AsyncBuffer): Promise<void> {
  if (file.byteLength < 12) throw new Error('it ends too early')
  const end = new DataView(await file.slice(file.byteLength - 8, file.byteLength))
  const length = end.getUint32(0, true)
  if (length > FOOTER_BYTES)
    throw new Error(
      `its footer has ${length} bytes, and at most ${FOOTER_BYTES} are read: write larger row groups`,
    )
  const begin = file.byteLength - 8 - length
  if (begin < 4) throw new Error('its footer is longer than the file')
  checkThrift(new DataView(await file.slice(begin, begin + length)))
}

/** @throws Error unless the parts of the file may be as long as they claim */
export function checkMetadata({ schema, row_groups }: FileMetaData, file: AsyncBuffer): void {
  if (schema.length > COLUMNS) throw new Error(`it has over ${COLUMNS} columns`)
  if (endOf(schema, 0, 0) !== schema.length) throw new Error('its columns do not add up')
  let rows = 0
  for (const [at, { columns, num_rows }] of row_groups.entries()) {
    rows += Number(num_rows)
    if (num_rows < 0n || rows > INPUT_LIMITS.items_per_run)
      throw new Error(
        `up to row group ${at + 1} it claims ${rows} rows, and a run has at most ${INPUT_LIMITS.items_per_run}`,
      )
    for (const { meta_data } of columns) {
      const { total_compressed_size: size = 0n, path_in_schema = [] } = meta_data ?? {}
      const begin = meta_data?.dictionary_page_offset || meta_data?.data_page_offset || 0n
      if (begin < 0n || size < 0n || begin + size > BigInt(file.byteLength))
        throw new Error(`"${path_in_schema.join('.')}" of row group ${at + 1} lies outside of the file`)
    }
  }
}

/** Behind the last element below this one. */
function endOf(schema: readonly SchemaElement[], at: number, depth: number): number {
  if (depth > DEPTH) throw new Error(`its columns are over ${DEPTH} deep`)
  let next = at + 1
  for (let child = 0; child < (schema[at]?.num_children ?? 0); child++) {
    if (next >= schema.length) throw new Error('its columns do not add up')
    next = endOf(schema, next, depth + 1)
  }
  return next
}

/** What is decoded at a time, of all columns. */
export class Held {
  readonly #of = new Map<string, number>()
  #all = 0

  /** @throws Error if there is no room for it */
  set(what: string, bytes: number): void {
    this.#all += bytes - (this.#of.get(what) ?? 0)
    this.#of.set(what, bytes)
    if (this.#all > HELD_BYTES)
      throw new Error(
        `${what} and the pages beside it take over ${HELD_BYTES / MiB} MiB when they are read: write smaller pages or row groups`,
      )
  }

  clear(): void {
    this.#of.clear()
    this.#all = 0
  }
}

export interface CheckedPage {
  header: PageHeader
  bytes: Uint8Array
  /** About what its values take. */
  cost: number
  values: number
}

type PageOf = Parameters<typeof decompressPage>[2]
export interface ColumnOf {
  codec: PageOf
  type: string
  schemaPath: SchemaTree[]
}

/** The page unpacked, if it holds what it claims: at most `left` values. @throws Error */
export function checkedPage(
  header: PageHeader,
  packed: Uint8Array,
  column: ColumnOf,
  left: number,
): CheckedPage {
  const size = header.uncompressed_page_size
  if (!(size >= 0 && size <= PAGE_BYTES))
    throw new Error(`a page claims ${size} bytes, and may have ${PAGE_BYTES}`)
  const about = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header
  const values = about?.num_values ?? 0
  const most = header.type === 'DICTIONARY_PAGE' ? PAGE_VALUES : Math.min(PAGE_VALUES, left)
  if (!(values >= 0 && values <= most))
    throw new Error(`a page claims ${values} values, and may have ${most}`)
  const unpack = (bytes: Uint8Array, length: number) =>
    decompressPage(bytes, length, column.codec, compressors)
  const v2 = header.data_page_header_v2
  let bytes: Uint8Array
  let checked = header
  if (header.type === 'DATA_PAGE_V2' && v2) {
    const levels = v2.repetition_levels_byte_length + v2.definition_levels_byte_length
    const isSane = v2.repetition_levels_byte_length >= 0 && v2.definition_levels_byte_length >= 0
    if (!isSane || levels > Math.min(packed.length, size) || v2.num_nulls < 0 || v2.num_nulls > values)
      throw new Error('a page claims other levels than it has')
    const rest = packed.subarray(levels)
    const data = v2.is_compressed === false ? rest : unpack(rest, size - levels)
    bytes = new Uint8Array(levels + data.length)
    bytes.set(packed.subarray(0, levels))
    bytes.set(data, levels)
    checked = { ...header, data_page_header_v2: { ...v2, is_compressed: false } }
  } else bytes = unpack(packed, size)
  const isObjects = checkValues(checked, bytes, column)
  return {
    header: { ...checked, compressed_page_size: bytes.length, uncompressed_page_size: bytes.length },
    bytes,
    values,
    cost: bytes.length + values * (2 * COST.place + (isObjects ? COST.object : 0)),
  }
}

/** Whether each value is an object of its own. */
function checkValues(header: PageHeader, bytes: Uint8Array, { type, schemaPath }: ColumnOf): boolean {
  const isBytes = /BYTE_ARRAY|INT96|INT64/.test(type)
  const v1 = header.data_page_header
  const v2 = header.data_page_header_v2
  const about = v1 ?? v2
  if (header.type === 'DICTIONARY_PAGE' || about === undefined) return isBytes
  const walk = new Runs(bytes)
  const [repeated, defined] = [getMaxRepetitionLevel(schemaPath), getMaxDefinitionLevel(schemaPath)]
  let count = about.num_values
  if (v2 !== undefined) {
    walk.levels(repeated, count, v2.repetition_levels_byte_length)
    walk.levels(defined, count, v2.definition_levels_byte_length)
    count -= v2.num_nulls
  } else {
    if (schemaPath.length > 1) walk.levels(repeated, count)
    count = walk.levels(defined, count)
  }
  const { encoding } = about
  if (/DICTIONARY$/.test(encoding)) walk.runs(walk.byte(), count)
  else if (encoding === 'RLE') walk.sized(1, count)
  else if (encoding === 'DELTA_BYTE_ARRAY') walk.prefixes(count)
  return isBytes && !/DICTIONARY$/.test(encoding)
}

/** Walks over a page's levels and values as hyparquet does, and makes none. */
class Runs {
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  byte(): number {
    return this.#view.getUint8(this.#at++)
  }

  /** How many levels are the highest. */
  levels(max: number, count: number, bytes?: number): number {
    if (max === 0) return count
    const width = 32 - Math.clz32(max)
    const length = bytes ?? this.#length()
    const begin = this.#at
    this.runs(width, count, begin + length)
    this.#at = begin + length
    const found = new Uint8Array(count)
    readRleBitPackedHybrid({ view: this.#view, offset: begin }, width, found as never, length)
    let highest = 0
    for (const level of found) if (level === max) highest++
    return highest
  }

  sized(width: number, count: number): void {
    const length = this.#length()
    this.runs(width, count, this.#at + length)
  }

  /** @throws Error if a run is longer than what is left of the values */
  runs(width: number, count: number, end = this.#view.byteLength): void {
    if (width > 32) throw new Error(`a page has values of ${width} bits`)
    if (width === 0) return
    for (let seen = 0; seen < count; ) {
      if (this.#at >= Math.min(end, this.#view.byteLength))
        throw new Error('a page has fewer values than it claims')
      const header = this.#varint()
      const length = header % 2 === 1 ? Math.floor(header / 2) * 8 : header / 2
      const most = count - seen + (header % 2 === 1 ? PADDED : 0)
      if (length > most) throw new Error(`a page has a run of ${length} values, and ${count - seen} are left`)
      this.#at += header % 2 === 1 ? (length / 8) * width : (width + 7) >> 3
      seen += length
    }
  }

  /** Values of which each repeats the begin of the one before. */
  prefixes(count: number): void {
    const reader = { view: this.#view, offset: this.#at }
    let bytes = 0
    for (const lengths of [new Int32Array(count), new Int32Array(count)]) {
      deltaBinaryUnpack(reader, count, lengths)
      for (const length of lengths) bytes += Math.max(0, length)
    }
    if (bytes > PAGE_BYTES)
      throw new Error(`the values of a page have ${bytes} bytes, and may have ${PAGE_BYTES}`)
  }

  #length(): number {
    this.#at += 4
    return this.#view.getUint32(this.#at - 4, true)
  }

  #varint(): number {
    let result = 0
    for (let factor = 1; factor < 2 ** 35; factor *= 128) {
      const byte = this.byte()
      result += (byte & 0x7f) * factor
      if (byte < 0x80) return result
    }
    throw new Error('a page has a number that does not end')
  }
}

/** Values that a packed run may have beyond the last. */
const PADDED = 512

const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12,
]
/** Of a footer's objects, which take some twenty times its bytes. */
const PARTS = 2_000_000

/** Walks over a footer, as empty structs take one byte each and fifty times that as objects. @throws Error */
function checkThrift(view: DataView): void {
  let [at, parts] = [0, 0]
  const varint = () => {
    let result = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = view.getUint8(at++)
      result += (byte & 0x7f) * factor
      if (byte < 0x80) return result
    }
  }
  const skip = (type: number, depth: number): void => {
    if (++parts > PARTS || depth > DEPTH)
      throw new Error(`its footer has over ${PARTS} parts: write larger row groups`)
    if (type === BYTE) at++
    else if (type === I16 || type === I32 || type === I64) varint()
    else if (type === DOUBLE) at += 8
    else if (type === BINARY) {
      const length = varint()
      at += length
    } else if (type === LIST) {
      const head = view.getUint8(at++)
      const count = head >> 4 === 15 ? varint() : head >> 4
      const of = head & 15
      for (let n = 0; n < count; n++) skip(of === TRUE || of === FALSE ? BYTE : of, depth + 1)
    } else if (type === STRUCT) struct(depth + 1)
    else if (type !== TRUE && type !== FALSE) throw new Error(`its footer has a part of type ${type}`)
  }
  const struct = (depth: number): void => {
    for (let head = view.getUint8(at++); (head & 15) !== STOP; head = view.getUint8(at++)) {
      if (head >> 4 === 0) varint()
      skip(head & 15, depth)
    }
  }
  struct(0)
}
