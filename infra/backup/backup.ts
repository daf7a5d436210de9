// Takes a backup over a database connection while Assay works. Guarantee: all of it comes from one snapshot; the file
// is complete, with every row counted twice, or absent; and only migrations wait for it. On a cluster every server has
// to be stopped.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Sql } from 'postgres'
import { VERSION } from '../../shared/kernel/version.ts'
import { fingerprintOf } from '../../shared/upkeep/rules/master-key.ts'
import { diskFull, ExitError } from '../local/exit-error.ts'
import { migrationTimes } from '../migrate.ts'
import {
  type Catalog,
  countRows,
  listed,
  named,
  readCatalog,
  readMigration,
  readSequences,
} from './catalog.ts'
import { beginReading, countServers, type Database, isDistributed, openSession } from './database.ts'
import { END_OF_TABLE, FORMAT, type Header, type Trailer } from './format.ts'
import { signatureOf } from './signature.ts'

export interface Taken {
  file: string
  bytes: number
  rows: Record<string, number>
  key_fingerprint: string | null
  with_key: boolean
  signed: boolean
}

export interface BackupOptions {
  database: Database
  file: string
  /** Signs the file; a file is left unsigned where the key is not at hand, or is another than the installation's. */
  masterKey?: string | undefined
  /** Includes the key in the file. */
  withKey?: boolean
  now: () => Date
}

const GZIP = { level: 6, chunkSize: 256 * 1024 }

/** @throws ExitError `file_exists`, `not_an_installation`, `schema_newer`, `schema_unreleased`, `disk_full`, `installation_at_work`, `master_key_differs`, `backup_incomplete` */
export async function backup({
  database,
  file,
  masterKey,
  withKey = false,
  now,
}: BackupOptions): Promise<Taken> {
  if (await exists(file))
    throw new ExitError('file_exists', `${file} is there already: name another, or remove it.`)
  const holder = openSession(database)
  const reader = openSession(database)
  const part = `${file}.part`
  try {
    const migration = await readMigration(reader)
    if (migration === undefined) {
      throw new ExitError(
        'not_an_installation',
        'this database holds no installation of Assay: name the right one by DATABASE_MIGRATE_URL, DATABASE_URL or ASSAY_DATA_DIR.',
      )
    }
    await refuseOtherSchema(migration)
    const { snapshot, header, signer } = await begin(holder, reader, { migration, masterKey, withKey, now })
    const read = (name: string, columns: readonly string[]) => rowsOf(reader, snapshot, name, columns)
    const trailer = await write(part, header, signer, read)
    await recount(holder, header, trailer)
    await rename(part, file)
    await keepName(file)
    const { size } = await stat(file)
    const { key_fingerprint } = header
    return {
      file,
      bytes: size,
      rows: trailer.rows,
      key_fingerprint,
      with_key: withKey,
      signed: signer !== undefined,
    }
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await Promise.all([holder.end({ timeout: 1 }), reader.end({ timeout: 1 })])
  }
}

/** Refuses a schema that this version does not know: nobody could restore the file. */
async function refuseOtherSchema(migration: number): Promise<void> {
  const known = await migrationTimes()
  if (known.includes(migration)) return
  if (migration > known.at(-1)!)
    throw new ExitError(
      'schema_newer',
      `this database has the schema of a newer Assay than this one (${VERSION}): back it up by the command of that version.`,
    )
  throw new ExitError(
    'schema_unreleased',
    'this database was made by a checkout from before 0.1.0, whose schema this version does not know: back it up by the command of that checkout.',
  )
}

interface BackupStart {
  migration: number
  masterKey: string | undefined
  withKey: boolean
  now: () => Date
}

/** Takes the snapshot, and locks its tables against being dropped. */
async function begin(holder: Sql, reader: Sql, { migration, masterKey, withKey, now }: BackupStart) {
  const catalog = await readCatalog(reader)
  await beginReading(holder)
  await ((await isDistributed(reader)) ? holdStill(holder, catalog) : keepTables(holder, catalog))
  const [row] = await holder<{ snapshot: string; key_fingerprint: string | null }[]>`
    select pg_export_snapshot() as snapshot, key_fingerprint from installation`
  const { snapshot, key_fingerprint } = row!
  const given = masterKey === undefined ? undefined : await fingerprintOf(masterKey)
  // Functions of a platform store no fingerprint, so there is nothing to compare the key with.
  const differs = given !== undefined && key_fingerprint !== null && given !== key_fingerprint
  if (differs && withKey) {
    throw new ExitError(
      'master_key_differs',
      'the master key at hand is not the one this installation was sealed under, so it is of no use in the backup.',
    )
  }
  const signer = differs ? undefined : masterKey
  const header: Header = {
    assay_backup: FORMAT,
    version: VERSION,
    made_at: now().toISOString(),
    migration,
    key_fingerprint,
    ...(signer !== undefined && given !== undefined && { signed_by: given }),
    ...(withKey && masterKey !== undefined ? { master_key: masterKey } : {}),
    ...catalog,
    sequences: await readSequences(reader),
  }
  return { snapshot, header, signer }
}

async function keepTables(holder: Sql, catalog: Catalog): Promise<void> {
  const kept = catalog.tables.map(table => table.name).filter(name => !growsPartitions(catalog, name))
  await holder.unsafe(`lock table ${listed(kept)} in access share mode`)
}

/** The nodes of a cluster share no snapshot, so there nothing may be written meanwhile. */
async function holdStill(holder: Sql, { tables, partitions }: Catalog): Promise<void> {
  const sessions = await countServers(holder)
  if (sessions > 0)
    throw new ExitError(
      'installation_at_work',
      `this database is distributed over a cluster, whose nodes share no snapshot, and a server is connected to it (${sessions} sessions): stop every process of Assay, back up, and start them again.`,
    )
  const all = [...new Set([...partitions.map(({ of }) => of), ...tables.map(({ name }) => name)])]
  await holder.unsafe(`lock table ${listed(all)} in share mode`)
}

/**
 * Whether a table is a default partition. Creating a partition locks it, and all who write steps would queue behind.
 */
const growsPartitions = ({ partitions }: Catalog, name: string) =>
  partitions.some(partition => partition.name === name && partition.bound === 'DEFAULT')

/** The rows of one table in the snapshot, read in a transaction of its own so that its lock is released right after. */
async function* rowsOf(reader: Sql, snapshot: string, name: string, columns: readonly string[]) {
  await beginReading(reader, snapshot)
  const stream = await reader.unsafe(`copy ${named(name)} (${listed(columns)}) to stdout`).readable()
  yield* stream as AsyncIterable<Buffer>
  // The driver pauses its socket at a row too large for the stream's buffer. After such a last row nobody reads on, so
  // the response to the next statement would never be read; `_read` resumes the socket.
  stream._read(0)
  await reader.unsafe('commit')
}

type RowsOf = (name: string, columns: readonly string[]) => AsyncIterable<Buffer>

async function write(
  path: string,
  header: Header,
  signer: string | undefined,
  rowsOf: RowsOf,
): Promise<Trailer> {
  const file = openFile(path)
  const hash = createHash('sha256')
  let bytes = 0
  const put = async (chunk: Buffer) => {
    hash.update(chunk)
    bytes += chunk.length
    await file.put(chunk)
  }
  await put(Buffer.from(`${JSON.stringify(header)}\n`))
  const zip = createGzip(GZIP)
  const packed = (async () => {
    for await (const chunk of zip as AsyncIterable<Buffer>) await put(chunk)
  })()
  packed.catch(error => zip.destroy(error))
  const rows: Record<string, number> = {}
  const pass = batched(async chunk => {
    if (!zip.write(chunk)) await Promise.race([once(zip, 'drain'), packed])
  })
  try {
    for (const { name, columns } of header.tables) {
      rows[name] = 0
      for await (const some of rowsOf(name, columns)) {
        rows[name] += newlinesIn(some)
        await pass.add(some)
      }
      await pass.add(END_OF_TABLE)
    }
    await pass.flush()
    zip.end()
    await packed
    const trailer: Trailer = { rows, bytes, sha256: hash.digest('hex') }
    if (signer !== undefined) trailer.signature = await signatureOf(signer, trailer)
    await file.end(`\n${JSON.stringify(trailer)}\n`)
    return trailer
  } catch (error) {
    zip.destroy()
    file.destroy()
    throw diskFull(error, dirname(path)) ?? error
  }
}

/** Opens the file for writing. Its error fails the next call: one that nobody waited for would end the process. */
function openFile(path: string) {
  const file = createWriteStream(path, { mode: 0o600, flush: true })
  let broken: Error | undefined
  file.on('error', error => {
    broken = error
  })
  return {
    async put(chunk: Buffer) {
      if (broken) throw broken
      if (!file.write(chunk)) await once(file, 'drain')
    },
    async end(text: string) {
      if (broken) throw broken
      file.end(text)
      await finished(file)
    },
    destroy: () => file.destroy(),
  }
}

/** Counts newlines, each of which ends a row: COPY escapes newlines within rows. */
function newlinesIn(chunk: Buffer): number {
  let found = 0
  for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) found++
  return found
}

const BATCH_BYTES = 64 * 1024

/** Passes rows on in batches, since a write for each row would cost more than the row's processing. */
function batched(pass: (chunk: Buffer) => Promise<void>) {
  let held: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    if (held.length === 0) return
    const chunk = Buffer.concat(held, bytes)
    held = []
    bytes = 0
    await pass(chunk)
  }
  return {
    flush,
    async add(row: Buffer) {
      held.push(row)
      bytes += row.length
      if (bytes >= BATCH_BYTES) await flush()
    },
  }
}

/** Compares the rows read with PostgreSQL's own count in the same snapshot. @throws ExitError `backup_incomplete` */
async function recount(holder: Sql, { tables }: Header, { rows }: Trailer): Promise<void> {
  const counted = await countRows(holder, tables)
  const wrong = tables.find(({ name }) => counted[name] !== rows[name])
  if (wrong === undefined) return
  throw new ExitError(
    'backup_incomplete',
    `${rows[wrong.name]} of ${counted[wrong.name]} rows of ${wrong.name} were read. Nothing was written; try again.`,
  )
}

/** Syncs the folder, since a file's new name survives a crash only then. */
async function keepName(file: string): Promise<void> {
  await using folder = await open(dirname(file))
  await folder.sync()
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
