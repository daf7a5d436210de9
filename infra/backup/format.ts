// The file format of backups: a header line, the rows of all tables as one gzip stream, and a trailer line
// (infra/docs/backup.md). Guarantee: one read in bounded memory, before anything is done with the file, detects whether
// it was cut off or changed anywhere.

import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ExitError } from '../local/exit-error.ts'

export const FORMAT = 1

export interface TableOfBackup {
  name: string
  /** The stored columns in the order of the rows' fields; generated columns are left out. */
  columns: string[]
}

export interface Header {
  assay_backup: typeof FORMAT
  /** Assay's version. */
  version: string
  made_at: string
  /** The newest migration of the schema, by its time in drizzle/meta/_journal.json. */
  migration: number
  /** Fingerprint of the master key under which values in the backup are sealed. */
  key_fingerprint: string | null
  /** Only if it was requested. */
  master_key?: string
  /** The tables in the order of the file. */
  tables: TableOfBackup[]
  /** Partitions to create before their rows are loaded. */
  partitions: { name: string; of: string; bound: string }[]
  /** The last value of each sequence. */
  sequences: Record<string, number>
}

export interface Trailer {
  /** Number of rows by table. */
  rows: Record<string, number>
  /** Number of bytes before this line and the newline before it; `sha256` is the hash of these bytes. */
  bytes: number
  sha256: string
}

/** Ends the rows of a table, as in COPY; no row can look like it, since COPY escapes backslashes. */
export const END_OF_TABLE = Buffer.from('\\.\n')

const NEWLINE = 0x0a
const LINE_BYTES = 1024 * 1024 // most for the header and the trailer; some forty tables take 8 KiB

export interface Checked {
  header: Header
  trailer: Trailer
}

/** Reads and verifies the whole file. @throws ExitError `backup_damaged`, `backup_unknown` */
export async function checkBackup(path: string): Promise<Checked> {
  await using file = await opened(path)
  const { size } = await file.stat()
  const header = parsed<Header>(await firstLine(file), path)
  if (header.assay_backup !== FORMAT) {
    throw new ExitError(
      'backup_unknown',
      `${path} is no backup of Assay, or one of another format than ${FORMAT}.`,
    )
  }
  const closing = await lastLine(file, size, path)
  const trailer = parsed<Trailer>(closing, path)
  const bytes = size - Buffer.byteLength(closing) - 2
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  try {
    for await (const part of readTables(path, header, bytes, hash)) {
      if (part.rows !== undefined) rows[part.table] = part.rows
    }
  } catch (error) {
    throw damaged(path, error instanceof Error ? error.message : String(error))
  }
  if (trailer.bytes !== bytes || trailer.sha256 !== hash.digest('hex')) {
    throw damaged(path, 'it is not what was written')
  }
  const wrong = header.tables.find(({ name }) => trailer.rows[name] !== rows[name])
  if (wrong !== undefined) throw damaged(path, `it does not hold the rows of ${wrong.name} that it names`)
  return { header, trailer }
}

export interface Part {
  table: string
  /** Bytes of rows, which need not end at the end of a row. */
  chunk?: Buffer
  /** The table's number of rows, set after its last chunk. */
  rows?: number
}

/** Reads the rows of all tables from the first `bytes` bytes, in bounded memory; updates `hash` where it is given. */
export async function* readTables(
  path: string,
  header: Header,
  bytes: number,
  hash?: Hash,
): AsyncGenerator<Part> {
  const skipped = Buffer.byteLength(JSON.stringify(header)) + 1
  const source = createReadStream(path, { end: bytes - 1, highWaterMark: 256 * 1024 })
  let before = skipped
  async function* compressed() {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash?.update(chunk)
      const rest = chunk.subarray(Math.min(before, chunk.length))
      before -= chunk.length - rest.length
      if (rest.length > 0) yield rest
    }
  }
  const unzipped = Readable.from(compressed()).pipe(createGunzip({ chunkSize: 256 * 1024 }))
  source.once('error', error => unzipped.destroy(error))
  try {
    yield* tablesOf(unzipped, header)
  } finally {
    source.destroy()
    unzipped.destroy()
  }
}

/** Splits the stream at the ends of tables and counts rows by newlines, since COPY escapes newlines within rows. */
async function* tablesOf(source: AsyncIterable<Buffer>, { tables }: Header): AsyncGenerator<Part> {
  let at = 0
  let rows = 0
  let held: Buffer = Buffer.alloc(0) // the beginning of a line that may end the table
  let isLineStart = true
  for await (const read of source) {
    let chunk = held.length === 0 ? read : Buffer.concat([held, read])
    held = Buffer.alloc(0)
    let from = 0
    let place = 0
    while (place < chunk.length) {
      if (isLineStart && chunk[place] === END_OF_TABLE[0]) {
        if (chunk.length - place < END_OF_TABLE.length) {
          held = Buffer.from(chunk.subarray(place))
          chunk = chunk.subarray(0, place)
          break
        }
        if (chunk.subarray(place, place + END_OF_TABLE.length).equals(END_OF_TABLE)) {
          const table = nameAt(tables, at)
          if (place > from) yield { table, chunk: chunk.subarray(from, place) }
          yield { table, rows }
          at++
          rows = 0
          place += END_OF_TABLE.length
          from = place
          continue
        }
      }
      const end = chunk.indexOf(NEWLINE, place)
      isLineStart = end >= 0
      if (end < 0) break
      rows++
      place = end + 1
    }
    if (chunk.length > from) yield { table: nameAt(tables, at), chunk: chunk.subarray(from) }
  }
  if (at !== tables.length || held.length > 0)
    throw new Error(`it ends before ${tables[at]?.name ?? 'its end'}`)
}

function nameAt(tables: readonly TableOfBackup[], at: number): string {
  const table = tables[at]
  if (table === undefined) throw new Error('it holds more tables than it names')
  return table.name
}

async function opened(path: string) {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new ExitError('backup_unreadable', `${path} cannot be read: ${error.message}`)
  })
  return file
}

async function firstLine(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, 0)
  const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE)
  return buffer.toString('utf8', 0, Math.max(end, 0))
}

async function lastLine(file: FileHandle, size: number, path: string): Promise<string> {
  const length = Math.min(size, LINE_BYTES)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
  if (buffer.at(-1) !== NEWLINE) throw damaged(path, 'it was cut off')
  const before = buffer.lastIndexOf(NEWLINE, length - 2)
  return buffer.toString('utf8', before + 1, length - 1)
}

function parsed<T>(line: string, path: string): T {
  try {
    const value = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Reported below.
  }
  throw damaged(path, 'its first or its last line is not whole')
}

const damaged = (path: string, why: string) =>
  new ExitError('backup_damaged', `${path} is damaged: ${why}. Nothing was changed; use another backup.`)
