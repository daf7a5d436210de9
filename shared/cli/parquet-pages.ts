// Reads a column of a Parquet file page by page, with the decoders of hyparquet, which alone decodes a dictionary again for
// each page and keeps a column of a whole row group in memory where the writer left out the index of pages, as pyarrow and
// DuckDB do. Guarantee: one page and the dictionary are in memory.

import {
  type AsyncBuffer,
  type ColumnChunk,
  type DecodedArray,
  type FileMetaData,
  parquetSchema,
} from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js'
import { compressors } from 'hyparquet-compressors'
import { type Reading, readingOf, valuesOf } from './parquet-values.ts'

/** Of most headers; those with long values in their statistics are read again with twice as much. */
const HEADER_BYTES = 1024

/** The values of a column in one row group; undefined where lists or structs are in it, whose rows pages do not mark. */
export function pagesOf(
  file: AsyncBuffer,
  metadata: FileMetaData,
  { meta_data: column }: ColumnChunk,
  parsers: object,
): AsyncGenerator<DecodedArray> | undefined {
  const schemaPath = getTreePath(parquetSchema(metadata), column!.path_in_schema)
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
  return pages(file, decoder, value)
}

type Decoder = Parameters<typeof readPage>[2] & NonNullable<ColumnChunk['meta_data']>

async function* pages(
  file: AsyncBuffer,
  column: Decoder,
  value: Reading['value'],
): AsyncGenerator<DecodedArray> {
  let at = Number(column.dictionary_page_offset || column.data_page_offset)
  const end = at + Number(column.total_compressed_size)
  let dictionary: DecodedArray | undefined
  for (let left = Number(column.num_values); left > 0; ) {
    const { header, bytes } = await headerAt(file, at, end)
    const begin = at + bytes
    at = begin + header.compressed_page_size
    if (!/^(DATA|DICTIONARY)_PAGE/.test(header.type)) continue
    const reader = { view: new DataView(await file.slice(begin, at)), offset: 0 }
    const { data } = readPage(reader, header, column, dictionary, undefined, 0)
    if (header.type === 'DICTIONARY_PAGE') dictionary = data && convert(data, column)
    else if (data !== undefined) {
      left -= data.length
      yield valuesOf(data, value)
    }
  }
}

async function headerAt(file: AsyncBuffer, at: number, end: number) {
  if (at >= end) throw new Error('it ends too early')
  for (let most = HEADER_BYTES; ; most *= 2) {
    const reader = { view: new DataView(await file.slice(at, Math.min(end, at + most))), offset: 0 }
    try {
      return { header: parquetHeader(reader), bytes: reader.offset }
    } catch (error) {
      if (at + most >= end) throw error
    }
  }
}
