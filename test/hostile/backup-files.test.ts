// Backup files that somebody else wrote or changed: none becomes a statement, a program or an owner, and a restore that
// is refused leaves nothing behind.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backup } from '../../infra/backup/backup.ts'
import { checkBackup } from '../../infra/backup/format.ts'
import { restore } from '../../infra/backup/restore.ts'
import { joinInstallation } from '../../infra/node/installation.ts'
import { migrate } from '../support/migrate.ts'
import { onCluster } from '../support/on-cluster.ts'
import { emptyDatabase, type TestStore, testDatabase } from '../support/stores.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const ELSEWHERE = onCluster('a database of one machine is taken and filled here')
const KEY = '11'.repeat(32)
const OTHER_KEY = '22'.repeat(32)
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

let folder: TempFolder
let from: TestStore
let target: TestStore
let sql: Sql
let signed: string
let unsigned: string

const open = (url: string) => parts.adopt(postgres(url, { max: 1, onnotice: () => {} }), one => one.end())
const fresh = () => join(folder.path, `${randomBytes(6).toString('hex')}.backup`)

beforeAll(async () => {
  if (ELSEWHERE) return
  folder = parts.adopt(await tempFolder(), one => one.remove())
  from = parts.adopt(await testDatabase(), one => one.drop())
  target = parts.adopt(await emptyDatabase(), one => one.drop())
  sql = open(target.url)
  const source = open(from.url)
  await joinInstallation(source as never, KEY)
  await source`insert into accounts (id, name) values (gen_random_uuid(), 'Acme')`
  const database = { url: from.url }
  const now = () => new Date('2026-11-22T03:00:00Z')
  signed = (await backup({ database, file: fresh(), masterKey: KEY, now })).file
  unsigned = (await backup({ database, file: fresh(), now })).file
})

// biome-ignore lint/suspicious/noExplicitAny: it is what nobody checked
type Json = Record<string, any>

/** Writes the file anew as somebody without the master key would: all counts and hashes are right. */
async function changed(
  file: string,
  change: (parts: { header: Json; trailer: Json; rows: string }) => void,
): Promise<string> {
  const bytes = await readFile(file)
  const first = bytes.indexOf(10)
  const last = bytes.lastIndexOf(10, bytes.length - 2)
  const header = JSON.parse(bytes.toString('utf8', 0, first))
  const trailer = JSON.parse(bytes.toString('utf8', last + 1))
  const all = { header, trailer, rows: gunzipSync(bytes.subarray(first + 1, last)).toString('latin1') }
  change(all)
  const body = Buffer.concat([
    Buffer.from(`${JSON.stringify(all.header)}\n`),
    gzipSync(Buffer.from(all.rows, 'latin1')),
  ])
  const sha256 = createHash('sha256').update(body).digest('hex')
  const closing = { ...all.trailer, bytes: body.length, sha256 }
  const path = fresh()
  await writeFile(path, Buffer.concat([body, Buffer.from(`\n${JSON.stringify(closing)}\n`)]))
  return path
}

interface By {
  masterKey?: string
  unsigned?: boolean
}

const restored = async (file: string, { masterKey, unsigned = false }: By) =>
  restore({ url: target.url }, file, await checkBackup(file), { masterKey, unsigned }, true)

const relations = async () =>
  (await sql`select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace`)[0]!.n

/** `accounts` is the first table. */
const addAccount = (file: { rows: string; trailer: Json }) => {
  const time = '2026-11-22 03:00:00+00'
  file.rows = `${crypto.randomUUID()}\tMallory\tactive\t{}\t\\N\t\\N\t${time}\n${file.rows}`
  file.trailer.rows.accounts++
}

it.skipIf(ELSEWHERE)('a changed row alone is no damage: the file is as whole as before', async () => {
  const { trailer } = await checkBackup(await changed(signed, addAccount))
  expect(trailer.rows.accounts).toBe(2)
})

describe.skipIf(ELSEWHERE)('nothing is changed by a file', () => {
  it.each<[name: string, file: () => Promise<string>, by: By, code: string, message: RegExp]>([
    [
      'that was changed',
      () => changed(signed, addAccount),
      { masterKey: KEY },
      'backup_forged',
      /changed it after/,
    ],
    [
      'that was changed, with the risk named',
      () => changed(signed, addAccount),
      { masterKey: KEY, unsigned: true },
      'backup_forged',
      /changed it after/,
    ],
    [
      'whose signature was taken out',
      () => changed(signed, ({ trailer }) => delete trailer.signature),
      { masterKey: KEY },
      'backup_unsigned',
      /bears no signature/,
    ],
    ['that bears no signature', async () => unsigned, { masterKey: KEY }, 'backup_unsigned', /--unsigned/],
    ['where there is no key', async () => signed, {}, 'backup_unsigned', /no master key here/],
    [
      'of another installation',
      async () => signed,
      { masterKey: OTHER_KEY },
      'backup_foreign',
      /another master key/,
    ],
    [
      'that brings a key of its own',
      () => changed(signed, ({ header }) => (header.master_key = OTHER_KEY)),
      {},
      'backup_unsigned',
      /no master key here/,
    ],
  ])('%s', async (_, file, by, code, message) => {
    const path = await file()
    await expect(restored(path, by)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await relations()).toBe(0)
  })

  it('that was cut off', async () => {
    const path = fresh()
    const bytes = await readFile(signed)
    await writeFile(path, bytes)
    await truncate(path, bytes.length - 100)
    await expect(checkBackup(path)).rejects.toMatchObject({ code: 'backup_damaged' })
  })
})

const PROGRAM = () => join(folder.path, 'ran')
const RUN = () => `copy (select 1) to program 'touch ${PROGRAM()}'`

/** Every text of a header, as a statement or as something that a terminal would obey. */
const HOSTILE: [name: string, change: (header: Json) => void][] = [
  ['a bound', header => (header.partitions[0].bound += `; ${RUN()}`)],
  [
    'a bound of a new partition',
    header => (header.partitions[0] = { name: 'a', of: 'steps', bound: `default; ${RUN()}` }),
  ],
  [
    'a bound with an expression',
    header => (header.partitions[0].bound = `FOR VALUES FROM ((select 1)::text) TO ('b')`),
  ],
  ['the name of a partition', header => (header.partitions[0].name = `a"; ${RUN()}; --`)],
  ['the parent of a partition', header => (header.partitions[0].of = `steps"; ${RUN()}; --`)],
  ['a parent of the catalog', header => (header.partitions[0].of = 'pg_authid')],
  ['the name of a table', header => (header.tables[0].name = `a"; ${RUN()}; --`)],
  ['a table of the catalog', header => (header.tables[0].name = 'pg_authid')],
  ['a table of another purpose', header => (header.tables[0].name = 'installation')],
  [
    'the name of a column',
    header => (header.tables[0].columns[0] = `id") from program 'touch ${PROGRAM()}' --`),
  ],
  ['a column that is none', header => (header.tables[0].columns[0] = 'xmin')],
  ['no columns', header => (header.tables[0].columns = [])],
  ['the name of a sequence', header => (header.sequences = { [`a'; ${RUN()}; --`]: 1 })],
  ['a sequence that is none', header => (header.sequences = { pg_class: 1 })],
  ['the value of a sequence', header => (header.sequences = { claims_id_seq: `1); ${RUN()}; --` })],
  ['the version', header => (header.version = '\u001b]0;owned\u0007')],
  ['the time', header => (header.made_at = '\u001b[2J')],
  ['the migration', header => (header.migration = '0; drop table runs')],
  ['the fingerprint', header => (header.key_fingerprint = '\u001b[2J')],
  ['the master key', header => (header.master_key = '../../etc/passwd')],
  ['a field that no backup has', header => (header.run = RUN())],
]

describe.skipIf(ELSEWHERE)('no text of a header becomes a statement, where the risk was named', () => {
  it.each(HOSTILE)('%s', async (_, change) => {
    const path = await changed(unsigned, ({ header, trailer }) => {
      const names = header.tables.map(({ name }: Json) => name)
      change(header)
      header.tables.forEach(({ name }: Json, at: number) => {
        if (name !== names[at]) trailer.rows[name] = trailer.rows[names[at]]
      })
    })
    const error = await restored(path, { unsigned: true }).catch(error => error)
    expect(error).toMatchObject({ code: expect.stringMatching(/^backup_(damaged|unknown)$/) })
    expect(error.message).not.toMatch(/[\u0000-\u001f]/)
    expect(existsSync(PROGRAM())).toBe(false)
    const kept = await sql`select to_regclass('accounts') is not null as migrated`
    if (kept[0]!.migrated) expect(await sql`select from accounts`).toHaveLength(0)
  })
})

it.skipIf(ELSEWHERE)('rows are loaded by a role that is no superuser, which is gone afterwards', async () => {
  const { url } = parts.adopt(await emptyDatabase(), one => one.drop())
  await migrate(url)
  const here = open(url)
  await here.unsafe(`
    create function refuse_superuser() returns boolean language sql as
      'select not rolsuper from pg_roles where rolname = current_user';
    alter table accounts add constraint loaded_by check (refuse_superuser())`)
  const [me] = await here`select rolsuper from pg_roles where rolname = current_user`
  expect(me).toEqual({ rolsuper: true })
  const judge = { masterKey: KEY, unsigned: false }
  const { rows } = await restore({ url }, signed, await checkBackup(signed), judge, true)
  expect(rows.accounts).toBe(1)
  expect(await here`select from pg_roles where rolname like 'assay_restore%'`).toHaveLength(0)
  const owners = await here`
    select distinct relowner::regrole::text as name from pg_class where relnamespace = 'public'::regnamespace`
  expect(owners).toHaveLength(1)
})
