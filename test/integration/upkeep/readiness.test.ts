// Readiness with stores that answer and cannot be used. Stores out of reach are tested in the conformance suite.

import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext, type NodeContext } from '../../../infra/node/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { noteTrouble } from '../../../shared/kernel/unreachable.ts'
import { noteTurn } from '../../../shared/redis/turns.ts'
import { SCHEMA } from '../../../shared/upkeep/rules/schema.gen.ts'
import { checkMasterKey } from '../../../shared/upkeep/verbs/installation.ts'
import { probe } from '../../../shared/upkeep/verbs/readiness.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { makeRunningRole } from '../../support/running-role.ts'
import { type TestStore, testDatabase, testRedis } from '../../support/stores.ts'

const KEY = '11'.repeat(32)
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let database: TestStore
let redis: TestStore
let owner: NodeContext['sql']
let now_ms = Date.now() // stands still between probes
beforeAll(async () => {
  redis = parts.adopt(await testRedis(), one => one.drop())
  database = parts.adopt(await testDatabase(), one => one.drop())
  owner = contextOf({}).sql
  expect(await checkMasterKey(owner, KEY)).toBeUndefined()
})

interface Given {
  databaseUrl?: string
  redisUrl?: string
  master_key?: string
  log?: string[]
}

/** A context whose connections stay open until the end of the file. */
function contextOf({ databaseUrl, redisUrl, master_key = KEY, log = [] }: Given): NodeContext {
  const urls = { databaseUrl: databaseUrl ?? database.url, redisUrl: redisUrl ?? redis.url }
  const connections = openConnections({ ...urls, pool: { sql: 2, db: 1, reads: 1 } })
  parts.defer(() => connections.close())
  const ctx = createContext({
    connections,
    config: { base_url: '', master_key },
    writeLog: line => log.push(line),
  })
  return { ...ctx, now: () => now_ms }
}

/** Probes when everything kept from earlier probes is out of date. */
function probeLater(ctx: NodeContext) {
  now_ms += LIMITS.ready_rights_ms
  return probe(ctx)
}

const changed = (url: string, change: Partial<URL>) => Object.assign(new URL(url), change).href

const unusable = (name: string, reason: RegExp) => ({
  status: 'unavailable',
  error: { code: 'dependency_unusable', message: expect.stringMatching(new RegExp(`^${name} .*\\.$`)) },
  dependencies: { [name]: { status: 'unusable', reason: expect.stringMatching(reason) } },
})

it('an installation with all it needs is ready [health.ready]', async () => {
  const ready = await probe(contextOf({}))
  expect(ready.status).toBe('ready')
  for (const dependency of Object.values(ready.dependencies))
    expect(dependency).toMatchObject({ status: 'ok', reason: null })
})

it('callers at about the same time share one probe', async () => {
  const ctx = contextOf({})
  const asked = vi.spyOn(ctx.redis, 'eval')
  const first = probe(ctx)
  expect(await probe(ctx)).toBe(await first)
  now_ms += LIMITS.ready_kept_ms - 1
  expect(await probe(ctx)).toBe(await first)
  expect(asked).toHaveBeenCalledTimes(1)
  now_ms += 1
  expect(await probe(ctx)).not.toBe(await first)
  expect(asked).toHaveBeenCalledTimes(2)
})

it('a Redis that refuses the password is reported as such, and not as a timeout', async () => {
  const ctx = contextOf({ redisUrl: changed(redis.url, { password: 'wrong' }) })
  expect(await probe(ctx)).toMatchObject(
    unusable('redis', /^refused the user or the password of REDIS_URL: /),
  )
  expect(await probeLater(ctx)).toMatchObject(unusable('redis', /^refused the user or the password/)) // between two tries as well
})

it('a Redis without TLS is reported as such if TLS is asked for', async () => {
  const ctx = contextOf({ redisUrl: redis.url.replace('redis:', 'rediss:') })
  expect(await probe(ctx)).toMatchObject(
    unusable('redis', /^takes no TLS there: .*begin REDIS_URL with redis:\/\//),
  )
})

it('a Redis user who may not run a command is reported with the command', async () => {
  const admin = new Redis(redis.url)
  await admin.acl('SETUSER', 'narrow', 'on', '>narrow', '~*', '&*', '+@all', '-eval')
  parts.defer(async () => {
    await admin.acl('DELUSER', 'narrow')
    admin.disconnect()
  })
  const ctx = contextOf({ redisUrl: changed(redis.url, { username: 'narrow', password: 'narrow' }) })
  expect(await probe(ctx)).toMatchObject(unusable('redis', /^refuses a command .*'eval'/))
})

it('a Redis that recovers is ready again, and the log has a line for each change [log.not_ready, log.ready_again]', async () => {
  const admin = new Redis(redis.url)
  parts.defer(() => admin.disconnect())
  await admin.acl('SETUSER', 'rotated', 'on', '>old', '~*', '&*', '+@all')
  parts.defer(() => void admin.acl('DELUSER', 'rotated'))
  const log: string[] = []
  const ctx = contextOf({ redisUrl: changed(redis.url, { username: 'rotated', password: 'new' }), log })
  for (let asked = 0; asked < 3; asked++) expect((await probeLater(ctx)).status).toBe('unavailable')
  await admin.acl('SETUSER', 'rotated', '>new')
  await expect.poll(async () => (await probeLater(ctx)).status).toBe('ready')
  const events = log.map(line => JSON.parse(line).event)
  expect(events.filter(event => event !== 'redis_unreachable')).toEqual(['not_ready', 'ready_again'])
})

it('a PostgreSQL with a full disk is reported as degraded for a while, and is ready all the same [health.degraded, log.degraded]', async () => {
  const log: string[] = []
  const ctx = contextOf({ log })
  const writing = ctx.sql`do $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`
  noteTrouble(ctx.sql, await writing.catch(error => error), now_ms)
  const readiness = await probe(ctx)
  expect(readiness).toMatchObject({
    status: 'ready',
    dependencies: {
      postgres: {
        status: 'degraded',
        reason: expect.stringMatching(/^takes no writes, because its disk is full: /),
      },
      schema: { status: 'ok' },
    },
  })
  now_ms += 10_000
  expect((await probe(ctx)).dependencies.postgres).toMatchObject({ status: 'ok', reason: null })
  expect(log.map(line => JSON.parse(line).event)).toEqual(['degraded', 'ready_again'])
})

it.for([
  ['refuses the password', { password: 'wrong' }, /^refused the user or the password of DATABASE_URL/],
  ['has no such database', { pathname: '/nowhere' }, /^has no database of the name/],
] as const)(
  'a PostgreSQL that %s is reported, and its schema is unknown',
  async ([, change, reason], { skip }) => {
    skip('password' in change && onCluster('its pg_hba.conf may ask for no password'))
    const readiness = await probe(contextOf({ databaseUrl: changed(database.url, change) }))
    expect(readiness).toMatchObject(unusable('postgres', reason))
    expect(readiness.dependencies.schema).toMatchObject({ status: 'unknown', reason: null })
  },
)

it('an empty or outdated database is reported with the command to run, and a newer one is ready [health.unusable]', async () => {
  const empty = parts.adopt(await testDatabase(), one => one.drop())
  const ctx = contextOf({ databaseUrl: empty.url })
  await ctx.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('next', ${SCHEMA.version + 1})`
  expect((await probe(ctx)).status).toBe('ready')
  await ctx.sql`update drizzle.__drizzle_migrations set created_at = ${SCHEMA.version - 1}`
  const older = new RegExp(
    `^is older than this version needs \\(${SCHEMA.migration}\\): run infra/migrate.ts`,
  )
  expect(await probeLater(ctx)).toMatchObject(unusable('schema', older))
  await ctx.sql`drop schema drizzle cascade`
  expect(await probeLater(ctx)).toMatchObject(unusable('schema', /^is not there: run infra\/migrate.ts/))
})

it.skipIf(onCluster('policies are views there, and such a role was not tried'))(
  'a role that owns nothing is reported with what it lacks, and is ready with the grants printed for it [health.unusable]',
  async () => {
    const bare = await makeRunningRole(database.url, false)
    parts.defer(() => bare.drop())
    const ctx = contextOf({ databaseUrl: bare.url })
    const lacks = new RegExp(
      `^${bare.role} lacks .* and \\d+ more: infra/migrate.ts --grants ${bare.role} prints`,
    )
    expect(await probe(ctx)).toMatchObject(unusable('role', lacks))

    const granted = await makeRunningRole(database.url)
    parts.defer(() => granted.drop())
    const working = contextOf({ databaseUrl: granted.url })
    expect((await probe(working)).status).toBe('ready')
    await owner.unsafe(`revoke update on runs from ${granted.role}`)
    now_ms += LIMITS.ready_rights_ms - LIMITS.ready_kept_ms
    expect((await probe(working)).status).toBe('ready') // correct rights are not checked at every probe
    now_ms += LIMITS.ready_kept_ms
    expect(await probe(working)).toMatchObject(unusable('role', /lacks update on runs: /))
    await owner.unsafe(
      `grant update on runs to ${granted.role}; drop policy works_as_${granted.role} on api_keys`,
    )
    expect(await probeLater(working)).toMatchObject(
      unusable('role', /lacks a policy that shows the rows of api_keys: /),
    )
  },
)

it('a missing master key, or one that differs from the key of the sealed data, is reported as unusable [health.unusable]', async () => {
  expect(await probe(contextOf({ master_key: '' }))).toMatchObject(
    unusable('master_key', /^is missing: set ASSAY_MASTER_KEY/),
  )
  const other = await probe(contextOf({ master_key: '22'.repeat(32) }))
  expect(other).toMatchObject(unusable('master_key', /^is another than the one/))
})

it('a consumer that stands still is reported as stalled while items are held, and as none otherwise [health.turns]', async () => {
  const ctx = contextOf({})
  await noteTurn(ctx.redis, 'consumer', 'gone', 120_000)
  const consumer = async () => (await probeLater(ctx)).turns.consumer
  expect(await consumer()).toMatchObject({ status: 'none', age_ms: expect.any(Number) })
  const [account_id, project_id, agent_id, run_id] = Array.from({ length: 4 }, () => ctx.newId())
  await owner`insert into accounts ${owner({ id: account_id, name: 'test' })}`
  await owner`insert into projects ${owner({ id: project_id, account_id, name: 'test' })}`
  await owner`insert into agents ${owner({ id: agent_id, project_id, name: 'test', slug: 'test' })}`
  await owner`insert into runs ${owner({ id: run_id, project_id, agent_id, total_items: 1, materializing: false })}`
  await owner`insert into claims (run_id, project_id, seqs, attempts, lease_until)
    values (${run_id!}, ${project_id!}, '{1}', '{1}', now())`
  expect(await consumer()).toMatchObject({ status: 'stalled' })
})
