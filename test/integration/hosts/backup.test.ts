// Backs up a running installation, restores it elsewhere, and checks what a restore refuses.

import { randomBytes } from 'node:crypto'
import { appendFile, copyFile, readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { backup } from '../../../infra/backup/backup.ts'
import { type Checked, checkBackup } from '../../../infra/backup/format.ts'
import { keyFor, refusalOf } from '../../../infra/backup/index.ts'
import { restore as restoreInstallation } from '../../../infra/backup/restore.ts'
import { placeIn, prune } from '../../../infra/backup/rotation.ts'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { joinInstallation } from '../../../infra/node/installation.ts'
import { endHold } from '../../../shared/accounts/queries/installation.ts'
import { grantTenantRole } from '../../../shared/accounts/queries/tenant-role.ts'
import { claimItems } from '../../../shared/claims/verbs/claim.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { recountRun } from '../../../shared/items/queries/verify.ts'
import { verificationOf } from '../../../shared/items/wire/verify.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { centStep, failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { migrate } from '../../support/migrate.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { startReceiver } from '../../support/receiver.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { contentOf } from '../../support/table-content.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

/** `test/citus/backup.test.ts` tests the backup of a cluster. */
const ELSEWHERE = onCluster(
  'a backup is refused there while a server is connected, as the engine of this file is',
)
const MASTER_KEY = '11'.repeat(32)
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

let engine: TestEngine
let folder: TempFolder
let receiver: Awaited<ReturnType<typeof startReceiver>>
/** The backup of `engine`, which has an ended run, a run with claimed items and a queued run. */
let file: string
let runs: { ended: string; held: string; waiting: string }

const urlOf = (sql: TestEngine['sql']) => {
  const { host, port, database, user, pass } = sql.options as never as Record<string, string>
  return `postgres://${user}:${pass}@${host}:${port}/${database}`
}
const now = () => new Date('2026-11-22T03:00:00Z')
const take = (name: string, masterKey?: string, withKey = false) =>
  backup({ database: { url: urlOf(engine.sql) }, file: join(folder.path, name), masterKey, withKey, now })

beforeAll(async () => {
  engine = parts.adopt(await testEngine(), one => one.close())
  folder = parts.adopt(await tempFolder(), one => one.remove())
  receiver = parts.adopt(await startReceiver(), one => one.close())
  await joinInstallation(engine.sql, MASTER_KEY)
  engine.play(items =>
    items.flatMap(item =>
      item.seq % 7 === 0
        ? [failure(item, 'tool_call_error', 'tab\there, a \\ and a\nnewline: \\.')]
        : [centStep(item, 'ask'), result(item, { text: `\u00e9 \\N "${item.seq}"\\.` })],
    ),
  )
  const ended = await engine.submit(120, { callback_url: receiver.url })
  await consume(engine.ctx)
  await sweep(engine.ctx)
  const held = await engine.submit(10)
  await claimItems(engine.ctx, engine.key(held), 4)
  const waiting = await engine.submit([{ input: JSON.stringify('x'.repeat(300_000)) }, {}])
  await engine.sql`
    insert into schedules ${engine.sql({
      id: engine.ctx.newId(),
      project_id: engine.project_id,
      agent_id: engine.agent_id,
      cron: '0 0 * * *',
      timezone: 'UTC',
      input: '{}',
      next_at: new Date(new Date().setUTCHours(0, 0, 0, 0)),
    })}`
  runs = { ended, held, waiting }
  file = (await take('whole.backup')).file
})

/** An empty database, owned by a role of its own that is no superuser. */
async function emptyDatabase() {
  const url = new URL(inject('stores').databaseUrl)
  const admin = postgres(url.href, { max: 1, onnotice: () => {} })
  const name = `test_${randomBytes(6).toString('hex')}`
  const owner = `owner_of_${name}`
  await admin.unsafe(`create role ${owner} login password 'x'`)
  await admin.unsafe(grantTenantRole(owner))
  await admin.unsafe(`create database ${name} owner ${owner}`)
  parts.defer(async () => {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.unsafe(`drop role ${owner}`)
    await admin.end()
  })
  Object.assign(url, { pathname: `/${name}`, username: owner, password: 'x' })
  return { url: url.href, name, admin }
}

const open = (url: string) => parts.adopt(postgres(url, { max: 1, onnotice: () => {} }), sql => sql.end())

/** As the product restores, on the shared server, which may lose commits. */
const restore = (database: { url: string }, from: string, checked: Checked) =>
  restoreInstallation(database, from, checked, { masterKey: undefined, unsigned: true }, true)

describe.skipIf(ELSEWHERE)('a backup restored elsewhere by an owner who is no superuser', () => {
  let url: string
  let sql: Sql
  beforeAll(async () => {
    ;({ url } = await emptyDatabase())
    await restore({ url }, file, await checkBackup(file))
    sql = open(url)
  })

  it('holds every row of every table, and continues the sequence of claims', async () => {
    expect(await contentOf(sql)).toEqual(await contentOf(engine.sql as never))
    const before = await engine.sql`select nextval('claims_id_seq')::int as n`
    expect(await sql`select nextval('claims_id_seq')::int as n`).toEqual(before)
  })

  it('has the triggers, foreign keys and partitions of a migrated schema', async () => {
    const made = (on: Sql) =>
      on`select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
        where connamespace = 'public'::regnamespace union all
      select tgname, tgenabled::text from pg_trigger where not tgisinternal union all
      select relname, pg_get_expr(relpartbound, oid) from pg_class where relispartition and relkind = 'r' order by 1, 2`
    expect([...(await made(sql))]).toEqual([...(await made(engine.sql as never))])
  })

  it('keeps the fingerprint of its master key, and refuses another key', async () => {
    const here = sql as never as TestEngine['sql']
    await expect(joinInstallation(here, '22'.repeat(32))).rejects.toMatchObject({
      code: 'master_key_differs',
    })
    expect(await joinInstallation(here, MASTER_KEY)).toBeInstanceOf(Date)
  })

  it('dispatches, fires and sends nothing until its hold ends; then every run verifies', async () => {
    const connections = openConnections({ databaseUrl: url, redisUrl: inject('stores').redisUrl })
    const posted: string[] = []
    let asked = 0
    const ctx = createContext({
      connections,
      config: { base_url: 'http://127.0.0.1', master_key: MASTER_KEY },
      post: async ({ url }) => {
        posted.push(url)
        return { status: 200 }
      },
      invokeAgent: async (_, { body }) => {
        const items = body.split('\n').filter(Boolean)
        asked += items.length
        const lines = items.map(line => {
          const { seq, attempt } = JSON.parse(line)
          return `${JSON.stringify({ type: 'result', seq, attempt, output: 1 })}\n`
        })
        return { status: 200, contentType: 'application/x-ndjson', body: new Blob(lines).stream() }
      },
      writeLog: () => {},
    })
    parts.defer(async () => {
      await ctx.idle()
      await connections.close()
    })
    await ctx.sql`update claims set lease_until = now() - interval '1 minute'`
    await ctx.sql`update deliveries set due_at = now(), delivered_at = null`
    const settle = async () => {
      await sweep(ctx)
      await consume(ctx)
      await ctx.idle()
    }
    await settle()
    expect({ asked, posted }).toEqual({ asked: 0, posted: [] })
    expect(await ctx.sql`select from occurrences`).toHaveLength(0)

    await endHold(ctx.sql)
    await settle()
    expect(asked).toBe(10 + 2 + 1) // the items of the claimed run, those of the queued run, and the latest occurrence of the schedule
    expect(posted).toContain(receiver.url)
    expect(await ctx.sql`select from occurrences where outcome = 'fired'`).toHaveLength(1)
    const all = await ctx.sql<{ project_id: string; id: string }[]>`select project_id, id from runs`
    expect(all.map(run => run.id)).toEqual(expect.arrayContaining(Object.values(runs)))
    for (const { project_id, id } of all) {
      const { counters, recount } = await recountRun(ctx.sql, { project_id, run_id: id })
      expect(verificationOf(id, counters, recount, [])).toMatchObject({ balanced: true, differences: [] })
    }
  })
})

describe.skipIf(ELSEWHERE)('a file that is not a whole backup', () => {
  it('is refused, wherever it was cut off, changed or appended to', async () => {
    const bytes = await readFile(file)
    const broken = join(folder.path, 'broken.backup')
    const places = Array.from({ length: 60 }, (_, n) => Math.floor((bytes.length * n) / 60))
    places.push(bytes.length - 1, bytes.length - 2, bytes.length - 80, 10)
    for (const place of places) {
      await copyFile(file, broken)
      await truncate(broken, place)
      await expect(checkBackup(broken), `cut at ${place}`).rejects.toMatchObject({
        code: expect.stringMatching(/^backup_(damaged|unknown)$/),
      })
      const flipped = Buffer.from(bytes)
      flipped[place]! ^= 0x20
      await writeFile(broken, flipped)
      await expect(checkBackup(broken), `flipped at ${place}`).rejects.toMatchObject({
        code: expect.stringMatching(/^backup_(damaged|unknown)$/),
      })
    }
    await copyFile(file, broken)
    await appendFile(broken, 'more\n')
    await expect(checkBackup(broken)).rejects.toMatchObject({ code: 'backup_damaged' })
  })

  it('is refused if it is another kind of file or does not exist', async () => {
    const other = join(folder.path, 'other')
    await writeFile(other, '{"some": "json"}\nand more\n')
    await expect(checkBackup(other)).rejects.toMatchObject({ code: 'backup_unknown' })
    await expect(checkBackup(join(folder.path, 'nowhere'))).rejects.toMatchObject({
      code: 'backup_unreadable',
    })
  })
})

describe.skipIf(ELSEWHERE)('a backup is refused in a sentence, and leaves no file', () => {
  const at = (url: string, name: string, in_ = folder.path) =>
    reasonOf(backup({ database: { url }, file: join(in_, name), now }))
  const reasonOf = (taken: Promise<unknown>) =>
    taken.then(
      () => undefined,
      error => refusalOf(error),
    )
  const change = async (url: string, statements: string) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    await sql.unsafe(statements)
    await sql.end()
  }

  it.for([
    [
      'of a newer version',
      'update drizzle.__drizzle_migrations set created_at = created_at + 1',
      'schema_newer',
      'by the command of that version',
    ],
    [
      'of a checkout from before the first release',
      'update drizzle.__drizzle_migrations set created_at = created_at - 1',
      'schema_unreleased',
      'by the command of that checkout',
    ],
    [
      'without a table that this version reads',
      'drop table installation',
      'schema_behind',
      'infra/migrate.ts',
    ],
    ['without any', 'drop schema drizzle cascade', 'not_an_installation', 'DATABASE_URL'],
  ] as const)('of a schema %s', async ([, statements, code, says]) => {
    const { url } = await emptyDatabase()
    await migrate(url)
    await change(url, statements)
    const refused = await at(url, 'refused.backup')
    expect(refused).toMatchObject({ code, message: expect.stringContaining(says) })
    expect((await readdir(folder.path)).filter(name => name.startsWith('refused'))).toEqual([])
  })

  it('to a full disk', async context => {
    const disk = await smallDisk(1)
    if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
    try {
      await disk.fill()
      expect(await at(urlOf(engine.sql), 'a.backup', disk.path)).toMatchObject({ code: 'disk_full' })
      expect(await readdir(disk.path)).toEqual(['ballast'])
    } finally {
      await disk.remove()
    }
  })
})

describe.skipIf(ELSEWHERE)('a restore is refused', () => {
  it('and changes nothing if the database already holds rows', async () => {
    const before = await contentOf(engine.sql as never)
    await expect(restore({ url: urlOf(engine.sql) }, file, await checkBackup(file))).rejects.toMatchObject({
      code: 'not_empty',
      message: expect.stringMatching(/of accounts/),
    })
    expect(await contentOf(engine.sql as never)).toEqual(before)
  })

  it('while a server is connected', async () => {
    const { url } = await emptyDatabase()
    await migrate(url)
    const server = openConnections({ databaseUrl: url, redisUrl: inject('stores').redisUrl })
    await server.sql`select 1`
    const refused = expect(restore({ url }, file, await checkBackup(file))).rejects
    await refused.toMatchObject({ code: 'installation_at_work' })
    await server.close()
  })

  it('if a later version made the backup', async () => {
    const { url } = await emptyDatabase()
    const checked = await checkBackup(file)
    const { header } = checked
    const later = { ...checked, header: { ...header, migration: header.migration + 1, version: '9.9.9' } }
    await expect(restore({ url }, file, later)).rejects.toMatchObject({
      code: 'backup_newer',
      message: expect.stringContaining('9.9.9'),
    })
  })

  it('and loads nothing if the file holds fewer rows than its trailer counts', async () => {
    const { url } = await emptyDatabase()
    const checked = await checkBackup(file)
    const { rows } = checked.trailer
    const more = { ...checked.trailer, rows: { ...rows, items: rows.items! + 1 } }
    await expect(restore({ url }, file, { ...checked, trailer: more })).rejects.toMatchObject({
      code: 'restore_incomplete',
    })
    expect(await open(url)`select from items`).toHaveLength(0)
  })
})

describe.skipIf(ELSEWHERE)('the master key', () => {
  const place = (masterKey?: string) => ({
    database: { url: '' },
    name: '',
    dataDir: '/data',
    masterKey,
    [Symbol.asyncDispose]: async () => {},
  })

  it('is in the file only on request, and only if it is that of the installation', async () => {
    expect(await readFile(file, 'utf8')).not.toContain(MASTER_KEY)
    const { header } = await checkBackup((await take('with-key.backup', MASTER_KEY, true)).file)
    expect(header.master_key).toBe(MASTER_KEY)
    expect(await keyFor(place(), header)).toMatchObject({ state: 'restored', write: MASTER_KEY })
    await expect(take('other-key.backup', '22'.repeat(32), true)).rejects.toMatchObject({
      code: 'master_key_differs',
    })
  })

  it('of the host, where it has one, is compared with that of the backup', async () => {
    const { header } = await checkBackup(file)
    expect(await keyFor(place(MASTER_KEY), header)).toMatchObject({ state: 'there' })
    expect(await keyFor(place(), header)).toMatchObject({ state: 'wanted' })
    await expect(keyFor(place('22'.repeat(32)), header)).rejects.toMatchObject({ code: 'master_key_differs' })
  })
})

it.skipIf(ELSEWHERE)(
  'pruning keeps the newest backups, other files and recent partial files, and deletes the rest',
  async () => {
    const to = join(folder.path, 'nightly')
    const nights = [1, 2, 3, 4].map(day => new Date(Date.UTC(2026, 2, day, 3)))
    for (const night of nights) await writeFile(await placeIn(to, night), 'whole')
    await writeFile(join(to, 'mine.txt'), 'not a backup')
    const [killed, writing] = [
      'assay-2026-03-01T02-00-00Z.backup.part',
      'assay-2026-03-04T02-59-00Z.backup.part',
    ]
    for (const name of [killed, writing]) await writeFile(join(to, name!), 'half')
    await utimes(join(to, killed!), nights[0]!, nights[0]!)
    await utimes(join(to, writing!), nights[3]!, nights[3]!)
    await prune(to, 2, nights[3]!)
    expect((await readdir(to)).sort()).toEqual(
      ['assay-2026-03-03T03-00-00Z.backup', 'assay-2026-03-04T03-00-00Z.backup', writing, 'mine.txt'].sort(),
    )
  },
)

it.skipIf(ELSEWHERE)('an existing file is not overwritten', async () => {
  await expect(take('whole.backup')).rejects.toMatchObject({ code: 'file_exists' })
  expect((await readdir(folder.path)).filter(name => name.endsWith('.part'))).toEqual([])
})
