// A fault that a person has to fix ends the process with one line, which says what to do, and with exit code 78.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { writeUnits } from '../../../infra/bundle.ts'
import { endOf, REFUSED } from '../../../infra/local/exit-error.ts'
import { unitsOf } from '../../../infra/packaging.ts'
import { startProcess } from '../../support/doubles/process.ts'
import { migrate } from '../../support/migrate.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { freePort } from '../../support/ports.ts'
import { CHECKOUT } from '../../support/stack.ts'
import { testDatabase } from '../../support/stores.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const NO_PASSWORD = 'its pg_hba.conf may ask for no password'
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
const { databaseUrl, redisUrl } = inject('stores')
const ROLE = `limited_${randomBytes(6).toString('hex')}`
/** The shared server with another user, password or database. */
function at(change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'search'>>): string {
  return Object.assign(new URL(databaseUrl), change).href
}
const SETTINGS = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  ASSAY_MASTER_KEY: '11'.repeat(32),
  HOST: '127.0.0.1',
}
const MIGRATE = join(CHECKOUT, 'infra/migrate.ts')
const SERVER = join(CHECKOUT, 'infra/node/main.ts')
const RUNTIME = join(CHECKOUT, 'infra/node/runtime.ts')
let FUNCTION: string
let ROUTER: string

beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  FUNCTION = join(folder.path, 'account.mjs')
  ROUTER = join(folder.path, 'router.mjs')
  await writeUnits([unitsOf('group').find(unit => unit.name === 'account')!], folder.path)
  const admin = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create role ${ROLE} login password 'right'`)
  await admin.unsafe(`create database ${ROLE}`)
  parts.defer(async () => {
    await admin.unsafe(`drop database ${ROLE} with (force)`)
    await admin.unsafe(`drop role ${ROLE}`)
    await admin.end()
  })
})

async function refused(entry: string, env: Record<string, string>) {
  const process = startProcess(['node', entry], { ...SETTINGS, PORT: '0', ...env })
  const code = await process.ended
  // Before it ended, the process may have logged that it is ready.
  const lines = process
    .log()
    .trimEnd()
    .split('\n')
    .filter(line => !/^ready |"event":"ready"/.test(line))
  expect(code, process.log()).toBe(78)
  expect(lines).toHaveLength(1)
  return lines[0]!
}

it.for([
  ['a wrong password', { password: 'wrong' }, /^postgres_refused_login: .* refused the user or the password/],
  ['a database that does not exist', { pathname: '/nowhere' }, /^no_such_database: .* create it/],
  [
    'a role that may not create schemas',
    { username: ROLE, password: 'right', pathname: `/${ROLE}` },
    /^schema_not_permitted: .*grant create on database .* to .*; grant usage, create on schema "public"/,
  ],
  [
    'TLS, which the server lacks',
    { search: '?sslmode=require' },
    /^postgres_without_tls: .* leave sslmode out/,
  ],
  ['a pooler', { search: '?pgbouncer=true' }, /^migrate_directly: .*DATABASE_MIGRATE_URL/],
] as const)(
  'a migration with %s is refused with one line that says what to do',
  async ([, change, says], { skip }) => {
    skip('password' in change && change.password === 'wrong' && onCluster(NO_PASSWORD))
    skip('search' in change && change.search.includes('sslmode') && onCluster('Citus switches TLS on'))
    const { line, code } = endOf(await migrate(at(change)).catch(error => error))
    expect(code).toBe(REFUSED)
    expect(line).toMatch(says)
    expect(line).not.toContain('\n')
  },
)

it.runIf(hasPgBouncer)('a migration through a pooler that the URL does not declare is refused', async () => {
  const pooler = parts.adopt(await startPgBouncer(databaseUrl, 2), one => one.close())
  const url = new URL(pooler.through(databaseUrl))
  url.search = ''
  const { line } = endOf(await migrate(url.href).catch(error => error))
  expect(line).toMatch(/^pooler_not_named: .*\?pgbouncer=true/)
})

it('a migration uses DATABASE_MIGRATE_URL, past the pooler of DATABASE_URL', async () => {
  const DATABASE_URL = at({ search: '?pgbouncer=true' })
  const line = await refused(MIGRATE, { DATABASE_URL, DATABASE_MIGRATE_URL: at({ pathname: '/nowhere' }) })
  expect(line).toMatch(/^no_such_database/)
})

const said = async (entry: string, env: Record<string, string>) => JSON.parse(await refused(entry, env))

it('the server and the runtime refuse to start without a setting [log.start_refused]', async () => {
  const missing = {
    level: 'error',
    event: 'start_refused',
    error: expect.stringMatching(/^setting_missing: ASSAY_MASTER_KEY is not set: set it, or /),
  }
  const both = await Promise.all([SERVER, RUNTIME].map(entry => said(entry, { ASSAY_MASTER_KEY: '' })))
  expect(both).toMatchObject([missing, missing])
})

it('the server refuses a connection budget that is too small', async () => {
  const { error } = await said(SERVER, { ASSAY_DATABASE_CONNECTIONS: '2' })
  expect(error).toMatch(/^setting_invalid: ASSAY_DATABASE_CONNECTIONS is 2: /)
})

it('every process refuses a name of its installation that cannot be part of other names', async () => {
  const router = { ASSAY_INSTALLATION: 'eu_1', ASSAY_UNIT_URL: 'http://{unit}' }
  const all = await Promise.all([SERVER, RUNTIME, FUNCTION, ROUTER].map(entry => said(entry, router)))
  for (const { error } of all)
    expect(error).toMatch(/^setting_invalid: ASSAY_INSTALLATION is eu_1: it takes a name of at most 16 /)
})

it('a bundled function refuses to start with a missing or invalid setting, or on a port in use', async () => {
  const taker = createServer().listen(0, '127.0.0.1')
  await once(taker, 'listening')
  const { port } = taker.address() as { port: number }
  const [missing, noNumber, noUrl, taken] = await Promise.all([
    said(FUNCTION, { ASSAY_MASTER_KEY: '' }),
    said(FUNCTION, { PORT: 'http' }),
    said(FUNCTION, { DATABASE_URL: 'localhost/assay' }),
    said(FUNCTION, { PORT: String(port) }),
  ])
  expect(missing.error).toMatch(/^setting_missing: ASSAY_MASTER_KEY is not set/)
  expect(noNumber.error).toMatch(/^setting_invalid: PORT is http: it takes a whole number/)
  expect(noUrl.error).toMatch(/^database_url_unusable: .*postgres:\/\//)
  expect(taken.error).toMatch(new RegExp(`^port_in_use: port ${port} on 127.0.0.1`))
  taker.close()
})

it.skipIf(onCluster(NO_PASSWORD))(
  'a function refuses to start if PostgreSQL refuses its login or was not migrated',
  async () => {
    const [login, schema] = await Promise.all([
      said(FUNCTION, { DATABASE_URL: at({ password: 'wrong' }) }),
      said(FUNCTION, { DATABASE_URL: at({ pathname: `/${ROLE}` }) }),
    ])
    expect(login.error).toMatch(/^postgres_refused_login: /)
    expect(schema.error).toMatch(/^schema_behind: the schema is not there: run infra\/migrate.ts/)
  },
)

const readinessAt = (port: string) => () =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    answer => answer.status,
    () => 0,
  )

/** Forwards the port to the server at `way`, until the end of the file. */
function leadTo(way: URL, port: number): void {
  const lead = createServer(socket => {
    const through = connect(Number(way.port), way.hostname)
    socket.pipe(through).pipe(socket)
    for (const end of [socket, through]) end.on('error', () => {})
  }).listen(port, '127.0.0.1')
  parts.defer(() => void lead.close())
}

it('a function whose PostgreSQL is away logs it once, and becomes ready when PostgreSQL is there [log.waiting_for_postgres]', async () => {
  const database = parts.adopt(await testDatabase(), one => one.drop())
  const way = new URL(database.url)
  const [PORT, gap] = [String(await freePort()), await freePort()]
  const DATABASE_URL = Object.assign(new URL(database.url), { port: String(gap) }).href
  const process = startProcess(['node', FUNCTION], { ...SETTINGS, PORT, DATABASE_URL })
  parts.defer(() => void process.child.kill('SIGKILL'))
  const ready = readinessAt(PORT)
  await expect.poll(ready).toBe(503)
  leadTo(way, gap)
  await expect.poll(ready).toBe(200)
  expect(process.log().match(/waiting_for_postgres/g)).toHaveLength(1)
  expect(process.child.exitCode).toBeNull()
  process.child.kill('SIGTERM')
  expect(await process.ended).toBe(0)
})

it.runIf(hasPgBouncer && !onCluster('its pooler signs in with a password'))(
  'a function whose PgBouncer has no PostgreSQL waits for it',
  async () => {
    const database = parts.adopt(await testDatabase(), one => one.drop())
    const [PORT, gap] = [String(await freePort()), await freePort()]
    const away = Object.assign(new URL(database.url), { port: String(gap) }).href
    const bounds = { query_wait_timeout: 1, server_login_retry: 1 }
    const pooler = parts.adopt(await startPgBouncer(away, 4, bounds), one => one.close())
    const DATABASE_URL = pooler.through(away)
    const process = startProcess(['node', FUNCTION], { ...SETTINGS, PORT, DATABASE_URL })
    parts.defer(() => void process.child.kill('SIGKILL'))
    const lines = () =>
      process
        .log()
        .split('\n')
        .filter(line => line.includes('waiting_for_postgres'))
    await expect.poll(() => lines().join()).toMatch(/query_wait_timeout|server login/)
    expect(await readinessAt(PORT)()).toBe(503)
    leadTo(new URL(database.url), gap)
    await expect.poll(readinessAt(PORT)).toBe(200)
    expect(process.child.exitCode).toBeNull()
    process.child.kill('SIGTERM')
    expect(await process.ended).toBe(0)
  },
  60_000,
)
