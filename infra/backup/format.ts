// The file format of backups: a header line, the rows of all tables as one gzip stream, and a trailer line
// (infra/docs/backup.md). Guarantee: one read in bounded memory, before anything is done with the file, detects whether
// it was cut off or damaged anywhere, and nothing is returned whose shape was not checked. Who wrote the file is a matter
// of its signature (`signature.ts`).

import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import * as z from 'zod'
import { ExitError } from '../local/exit-error.ts'

export const FORMAT = 1

/** A name of a table, a column or a sequence as the migrations give them. */
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/)
const Hex64 = z.string().regex(/^[0-9a-f]{64}$/)
const Count = z.int().nonnegative()
/** Shown on a terminal, so nothing else may be in it. */
const Version = z.string().regex(/^[\w.+-]{1,60}$/)
const Fingerprint = z.string().regex(/^[0-9a-f]{1,64}$/)

const TableSchema = z.strictObject({
  name: Name,
  /** The stored columns in the order of the rows' fields; generated columns are left out. */
  columns: z.array(Name).min(1),
})

const HeaderSchema = z.strictObject({
  assay_backup: z.literal(FORMAT),
  /** Assay's version. */
  version: Version,
  made_at: z.iso.datetime(),
  /** The newest migration of the schema, by its time in drizzle/meta/_journal.json. */
  migration: Count,
  /** Fingerprint of the master key under which values in the backup are sealed. */
  key_fingerprint: Fingerprint.nullable(),
  /** Fingerprint of the master key that signed the file; absent where it is not signed. */
  signed_by: Fingerprint.optional(),
  /** Only if it was requested. */
  master_key: Hex64.optional(),
  /** The tables in the order of the file. */
  tables: z.array(TableSchema),
  /** Partitions to create before their rows are loaded. The bound is PostgreSQL's own text of it. */
  partitions: z.array(z.strictObject({ name: Name, of: Name, bound: z.string() })),
  /** The last value of each sequence. */
  sequences: z.record(Name, Count),
})

const TrailerSchema = z.strictObject({
  /** Number of rows by table. */
  rows: z.record(Name, Count),
  /** Number of bytes before this line and the newline before it; `sha256` is the hash of these bytes. */
  bytes: Count,
  sha256: Hex64,
  /** Over the three others, by a key derived from the master key; absent where no key was at hand. */
  signature: Hex64.optional(),
})

export type TableOfBackup = z.infer<typeof TableSchema>
export type Header = z.infer<typeof HeaderSchema>
export type Trailer = z.infer<typeof TrailerSchema>

/** Ends the rows of a table, as in COPY; no row can look like it, since COPY escapes backslashes. */
export const END_OF_TABLE = Buffer.from('\\.\n')

const NEWLINE = 0x0a
const LINE_BYTES = 1024 * 1024 // most for the header and the trailer; some forty tables take 8 KiB

export interface Checked {
  header: Header
  trailer: Trailer
  /** The first line as it stands in the file, with its newline: the rows come after these bytes. */
  opening: Buffer
}

/** Reads the whole file and checks it against its trailer. @throws ExitError `backup_damaged`, `backup_unknown` */
export async function checkBackup(path: string): Promise<Checked> {
  await using file = await opened(path)
  const { size } = await file.stat()
  const opening = await firstLine(file)
  const first = parsed(opening.toString('utf8'), path)
  if (first.assay_backup !== FORMAT) {
    throw new ExitError(
      'backup_unknown',
      `${path} is no backup of Assay, or one of another format than ${FORMAT}.`,
    )
  }
  const header = shaped(HeaderSchema, first, path)
  const closing = await lastLine(file, size, path)
  const trailer = shaped(TrailerSchema, parsed(closing, path), path)
  const bytes = size - Buffer.byteLength(closing) - 2
  if (trailer.bytes !== bytes || bytes < opening.length) throw damaged(path, 'it is not what was written')
  const checked = { header, trailer, opening }
  const rows: Record<string, number> = {}
  const hash = createHash('sha256')
  try {
    for await (const part of readTables(path, checked, hash)) {
      if (part.rows !== undefined) rows[part.table] = part.rows
    }
  } catch (error) {
    throw damaged(path, error instanceof Error ? error.message : String(error))
  }
  if (trailer.sha256 !== hash.digest('hex')) throw damaged(path, 'it is not what was written')
  const wrong = header.tables.find(({ name }) => trailer.rows[name] !== rows[name])
  if (wrong !== undefined) throw damaged(path, `it does not hold the rows of ${wrong.name} that it names`)
  return checked
}

export interface Part {
  table: string
  /** Bytes of rows, which need not end at the end of a row. */
  chunk?: Buffer
  /** The table's number of rows, set after its last chunk. */
  rows?: number
}

/** Reads the rows of all tables, in bounded memory, and hashes what was written before the trailer. */
export async function* readTables(
  path: string,
  { header, trailer, opening }: Checked,
  hash: Hash,
): AsyncGenerator<Part> {
  hash.update(opening)
  const source = createReadStream(path, {
    start: opening.length,
    end: trailer.bytes - 1,
    highWaterMark: 256 * 1024,
  })
  async function* compressed() {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
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

async function firstLine(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, 0)
  return buffer.subarray(0, buffer.subarray(0, bytesRead).indexOf(NEWLINE) + 1)
}

async function lastLine(file: FileHandle, size: number, path: string): Promise<string> {
  const length = Math.min(size, LINE_BYTES)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
  if (buffer.at(-1) !== NEWLINE) throw damaged(path, 'it was cut off')
  const before = buffer.lastIndexOf(NEWLINE, length - 2)
  return buffer.toString('utf8', before + 1, length - 1)
}

function parsed(line: string, path: string): Record<string, unknown> {
  try {
    const value = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Reported below.
  }
  throw damaged(path, 'its first or its last line is not whole')
}

function shaped<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data as T
  const field = error.issues[0]!.path.filter(key => typeof key === 'number' || /^\w{1,40}$/.test(String(key)))
  throw damaged(path, `"${field.join('.')}" of its first or its last line is not as a backup has it`)
}

const damaged = (path: string, why: string) =>
  new ExitError('backup_damaged', `${path} is damaged: ${why}. Nothing was changed; use another backup.`)
