// What callers, readiness and the engine see when PostgreSQL, or the pooler in front of it, has no free connection.

import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { startPostgres } from '../../../infra/local/postgres.ts'
import { migrate } from '../../../infra/migrate.ts'
import { openConnections, poolOf } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { unitsOf } from '../../../infra/packaging.ts'
import { needsOf } from '../../../infra/unit-settings.ts'
import { bootstrapAccount } from '../../../shared/accounts/verbs/bootstrap.ts'
import { createApp } from '../../../shared/http/app.ts'
import { isFull } from '../../../shared/kernel/unreachable.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { eventually } from '../../support/eventually.ts'
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { testRedis } from '../../support/stores.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const CONNECTIONS = 14
const BUDGET = 3
const parts = new AsyncDisposableStack()
let url: string
let redisUrl: string
let api_key: string
let project_id: string
beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const server = await startPostgres({ dataDir: folder.path, connections: CONNECTIONS })
  parts.defer(() => server.stop())
  url = server.url
  redisUrl = parts.adopt(await testRedis(), one => one.drop()).url
  await migrate(url)
  const first = processOn(url)
  ;({ api_key, project_id } = await bootstrapAccount(first.ctx))
  await first.close()
})
afterAll(() => parts.disposeAsync())

/** A process with its own connection budget. */
function processOn(databaseUrl: string, budget = BUDGET) {
  const connections = openConnections({ databaseUrl, redisUrl, pool: poolOf(budget, { servesReads: true }) })
  const log: string[] = []
  const config = { base_url: 'http://assay.test', master_key: '5a'.repeat(32) }
  const ctx = createContext({ connections, config, writeLog: line => log.push(line) })
  const app = createApp(endpoints, () => ctx)
  return {
    ctx,
    log,
    ask: (path: string, init: RequestInit = {}) =>
      app.request(path, {
        ...init,
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      }),
    async close() {
      await ctx.idle()
      await connections.close()
    },
  }
}

/** Opens sessions until no more are accepted, and keeps them until they are released. */
async function fill(databaseUrl: string) {
  const taken: postgres.Sql[] = []
  for (;;) {
    const one = postgres(databaseUrl, { max: 1, prepare: false, onnotice: () => {} })
    taken.push(one)
    if (await one`select 1`.then(() => false, isFull)) break
  }
  const end = (sessions: postgres.Sql[]) => Promise.all(sessions.map(one => one.end({ timeout: 1 })))
  return {
    /** Closes this many sessions. */
    give: (sessions: number) => end(taken.splice(0, sessions)),
    async free() {
      await end(taken)
      while (!(await hasRoom())) {}
    },
  }
}

/** Whether PostgreSQL has ended the sessions whose clients disconnected. */
async function hasRoom(): Promise<boolean> {
  const one = postgres(url, { max: 1 })
  const backends = one<{ many: number }[]>`
    select count(*)::int as many from pg_stat_activity where backend_type = 'client backend'`
  const has = await backends.then(
    ([found]) => found!.many <= CONNECTIONS / 2,
    () => false,
  )
  await one.end()
  return has
}

const pathOf = (text: string) => {
  const to = new URL(text)
  to.searchParams.delete('pgbouncer')
  return to.href
}

/** Where connections can run out: the URL that a process uses there, and the URL that a test fills up. */
const PLACES: [place: string, open: () => Promise<{ url: string; full: string; close(): Promise<void> }>][] =
  [
    ['PostgreSQL', async () => ({ url, full: url, close: async () => {} })],
    [
      'PgBouncer',
      async () => {
        const pooler = await startPgBouncer(url, 4, { max_client_conn: 8 })
        const through = pooler.through(url)
        return { url: through, full: pathOf(through), close: () => pooler.close() }
      },
    ],
  ]

describe.each(PLACES.slice(0, hasPgBouncer ? 2 : 1))('when %s has no connection left', (_, open) => {
  it('callers get store_unreachable with Retry-After, readiness says why, and callers are served once some are free', async () => {
    const place = await open()
    const one = processOn(place.url)
    const full = await fill(place.full)
    try {
      const [read, write] = await Promise.all([
        one.ask('/v1/projects'),
        one.ask('/v1/agents', {
          method: 'POST',
          body: JSON.stringify({ project_id, name: 'more', slug: 'more' }),
        }),
      ])
      for (const answer of [read, write]) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, '2'])
        expect((await answer.json()).error).toMatchObject({
          code: 'store_unreachable',
          message: expect.stringContaining('No connection to PostgreSQL became free'),
        })
      }
      const ready = await one.ask('/health/ready')
      expect(ready.status).toBe(503)
      expect((await ready.json()).error.message).toContain('no free connection')
    } finally {
      await full.free()
    }
    expect((await one.ask('/v1/projects')).status).toBe(200)
    await one.close()
    await place.close()
  })

  it('a sweep ends at the first chore that gets no connection instead of waiting for each, and a later sweep does all', async () => {
    const place = await open()
    const tick = processOn(place.url)
    const others = await fill(place.full)
    const failed = () => tick.log.filter(line => line.includes('"chore_failed"')).length
    expect(await sweep(tick.ctx)).toBe(0)
    expect(failed()).toBe(1)
    await others.free()
    await sweep(tick.ctx)
    expect(failed()).toBe(1)
    await tick.close()
    await place.close()
  })

  it('a waiting caller is served once connections are released', async () => {
    const place = await open()
    const one = processOn(place.url)
    const full = await fill(place.full)
    const asked = Promise.all([1, 2, 3].map(() => one.ask('/v1/projects')))
    await full.give(BUDGET)
    expect((await asked).map(answer => answer.status)).toEqual([200, 200, 200])
    await full.free()
    await one.close()
    await place.close()
  })
})

/** Runs the statement in a transaction that stays open until `end()`. */
async function held(databaseUrl: string, statement: string) {
  const sql = postgres(databaseUrl, { max: 1, prepare: false })
  const started = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const ended = sql.begin(async tx => {
    await tx.unsafe(statement)
    started.resolve()
    await over.promise
  })
  await Promise.race([started.promise, ended])
  return {
    async end() {
      over.resolve()
      await ended
      await sql.end()
    },
  }
}

it('a unit whose statement waits for a row lock still reports PostgreSQL as ready', async () => {
  const unit = unitsOf('group').find(({ name }) => name === 'account')!
  const one = processOn(url, needsOf(unit).connections)
  const row = await held(url, 'select from projects for update')
  const waiting = one.ctx.sql`update projects set name = name`.execute()
  expect((await one.ask('/health/ready')).status).toBe(200)
  await row.end()
  await waiting
  await one.close()
})

it('idle connections are closed, except two of the engine and those in use', async () => {
  const connections = openConnections({ databaseUrl: url, redisUrl, rest_ms: 50 })
  const watcher = postgres(url, { max: 1 })
  const { sql, reads } = connections
  const sessionOf = async (on: Pick<typeof connections, 'sql'>) =>
    (await on.sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid
  const used = await Promise.all(Array.from({ length: 3 }, () => sessionOf(connections)))
  const [reading, ...read] = await Promise.all(Array.from({ length: 3 }, () => reads.take()))
  const lasting = await sessionOf(reading!)
  const rested = await Promise.all(read.map(sessionOf))
  for (const connection of read) reads.give(connection)
  const left = async () => {
    const pids = [...used, ...rested, lasting]
    const rows = await watcher<{ pid: number }[]>`select pid from pg_stat_activity where pid = any(${pids})`
    return rows.map(({ pid }) => pid)
  }
  await eventually(async () => expect(await left()).toHaveLength(3))
  expect(await sessionOf(reading!)).toBe(lasting)
  expect(used).toContain(await sessionOf({ sql }))
  await connections.close()
  await watcher.end()
})

it('a read connection that was idle is usable at once, even while its old session closes', async () => {
  const pool = { sql: 1, db: 1, reads: 1 }
  const connections = openConnections({ databaseUrl: url, redisUrl, rest_ms: 1, pool })
  const { reads } = connections
  const read = async (restMs: number) => {
    const connection = await reads.take()
    const [row] = await connection.sql<{ n: number }[]>`select 1 as n from pg_sleep(0.01)`
    reads.give(connection)
    await new Promise(resolve => setTimeout(resolve, restMs))
    return row!.n
  }
  for (let i = 0; i < 30; i++) expect(await read(i % 6)).toBe(1)
  await connections.close()
})
