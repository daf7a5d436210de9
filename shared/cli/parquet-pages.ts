// Reads a column of a Parquet file page by page, with the decoders of hyparquet, which alone decodes a dictionary again for
// each page and keeps a column of a whole row group in memory where the writer left out the index of pages, as pyarrow and
// DuckDB do. Guarantee: one page and the dictionary are in memory, and neither is decoded before it was checked.

import type { AsyncBuffer, ColumnChunk, DecodedArray, PageHeader, SchemaTree } from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js'
import { type CheckedPage, checkedPage, compressors, type Held } from './parquet-bounds.ts'
import { type Reading, readingOf, valuesOf } from './parquet-values.ts'

/** Of most headers; those with long values in their statistics are read again with twice as much, up to the most. */
const HEADER_BYTES = 1024
const MOST_HEADER_BYTES = 4 * 1024 * 1024

/** What pages are read with: the file, its columns and what is held of them. */
export interface PageSource {
  file: AsyncBuffer
  schema: SchemaTree
  held: Held
}

/** The values of a column in one row group; undefined where lists or structs are in it, whose rows pages do not mark. */
export function pagesOf(
  source: PageSource,
  { meta_data: column }: ColumnChunk,
  parsers: object,
): AsyncGenerator<DecodedArray> | undefined {
  const schemaPath = getTreePath(source.schema, column!.path_in_schema)
  if (!isFlatColumn(schemaPath)) return undefined
  const { element, value } = readingOf(schemaPath.at(-1)!.element)
  const decoder = {
    ...column!,
    pathInSchema: column!.path_in_schema,
    schemaPath,
    element,
    compressors,
    parsers: { ...DEFAULT_PARSERS, ...parsers },
    utf8: false, // bytes without a type may be no text
  }
  return pages(source, decoder, value)
}

type Decoder = Parameters<typeof readPage>[2] & NonNullable<ColumnChunk['meta_data']>

async function* pages(
  source: PageSource,
  column: Decoder,
  value: Reading['value'],
): AsyncGenerator<DecodedArray> {
  let dictionary: DecodedArray | undefined
  const name = `a page of "${column.pathInSchema.join('.')}"`
  for await (const { header, bytes, cost } of checkedPages(source, column)) {
    source.held.set(header.type === 'DICTIONARY_PAGE' ? `the dictionary of ${name}` : name, cost)
    const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
    const { data } = readPage(reader, header, { ...column, codec: 'UNCOMPRESSED' }, dictionary, undefined, 0)
    const { encoding } = header.data_page_header ?? header.data_page_header_v2 ?? { encoding: '' }
    if (header.type === 'DICTIONARY_PAGE') dictionary = data && valuesOf(convert(data, column), value)
    else if (data !== undefined) yield encoding.endsWith('_DICTIONARY') ? data : valuesOf(data, value)
  }
}

/** A column with lists or structs, which hyparquet decodes by itself: all of its pages are checked before. */
export async function checkNested(
  source: PageSource,
  columns: readonly ColumnChunk[],
  name: string,
): Promise<void> {
  for (const { meta_data } of columns) {
    if (meta_data?.path_in_schema[0] !== name) continue
    const schemaPath = getTreePath(source.schema, meta_data.path_in_schema)
    const leaf = meta_data.path_in_schema.join('.')
    let all = 0
    for await (const { cost, values } of checkedPages(source, { ...meta_data, schemaPath })) {
      all += cost + values * NESTED_COST
      source.held.set(`the row group of "${leaf}"`, all)
    }
  }
}

/** Of a value within lists and structs: its levels, and a share of what is around it. */
const NESTED_COST = 64

/** The pages of a column in one row group. */
async function* checkedPages(
  { file }: PageSource,
  column: Pick<Decoder, 'schemaPath' | 'codec' | 'type'> & NonNullable<ColumnChunk['meta_data']>,
): AsyncGenerator<CheckedPage> {
  let at = Number(column.dictionary_page_offset || column.data_page_offset)
  const end = at + Number(column.total_compressed_size)
  for (let left = Number(column.num_values); left > 0; ) {
    const { header, bytes } = await headerAt(file, at, end)
    const begin = at + bytes
    if (!(header.compressed_page_size >= 0 && begin + header.compressed_page_size <= end))
      throw new Error(`a page of "${column.path_in_schema.join('.')}" is longer than its column`)
    at = begin + header.compressed_page_size
    if (!/^(DATA|DICTIONARY)_PAGE/.test(header.type)) continue
    const page = checked(header, new Uint8Array(await file.slice(begin, at)), column, left)
    if (header.type !== 'DICTIONARY_PAGE') left -= page.values
    yield page
  }
}

function checked(
  header: PageHeader,
  packed: Uint8Array,
  column: Parameters<typeof checkedPage>[2] & { path_in_schema: string[] },
  left: number,
): CheckedPage {
  try {
    return checkedPage(header, packed, column, left)
  } catch (error) {
    throw new Error(`"${column.path_in_schema.join('.')}": ${(error as Error).message}`)
  }
}

async function headerAt(file: AsyncBuffer, at: number, end: number) {
  if (at >= end) throw new Error('it ends too early')
  for (let most = HEADER_BYTES; ; most *= 2) {
    const reader = { view: new DataView(await file.slice(at, Math.min(end, at + most))), offset: 0 }
    try {
      return { header: parquetHeader(reader), bytes: reader.offset }
    } catch (error) {
      if (at + most >= end || most >= MOST_HEADER_BYTES) throw error
    }
  }
}
