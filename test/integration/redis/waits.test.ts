// Nothing waits for ever: not the tick for a chore, not a process for a PostgreSQL that is away, and not an operator
// for the news that something stands still.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startServer } from '../../../infra/node/server.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { dropTurns, noteTurn, readTurns } from '../../../shared/redis/turns.ts'
import { type Chore, choresInTurn, sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { freePort } from '../../support/ports.ts'
import { type TestStore, testDatabase, testRedis } from '../../support/stores.ts'
import { tempFolder } from '../../support/temp-folder.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())
afterEach(() => {
  vi.useRealTimers()
})

it('a tick or consumer that stands still is reported as stalled', async () => {
  const { redis } = engine.ctx
  expect(await readTurns(redis)).toEqual({
    tick: { status: 'none', age_ms: null },
    consumer: { status: 'none', age_ms: null },
  })
  await noteTurn(redis, 'tick', '', LIMITS.turn_late_ms.tick + 1)
  await noteTurn(redis, 'consumer', 'stuck', LIMITS.turn_late_ms.consumer + 1)
  await noteTurn(redis, 'consumer', 'busy')
  expect(await readTurns(redis)).toMatchObject({ tick: { status: 'stalled' }, consumer: { status: 'ok' } })
  dropTurns(redis, 'consumer', 'busy')
  expect(await readTurns(redis)).toMatchObject({ consumer: { status: 'stalled' } })
  await sweep(engine.ctx)
  await engine.ctx.idle()
  expect(await readTurns(redis)).toMatchObject({ tick: { status: 'ok' }, consumer: { status: 'stalled' } })
})

it('a chore that never ends holds up neither the others nor the next sweep, and is restarted once it counts as lost [log.chore_late, log.chore_failed]', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const started: string[] = []
  let now = engine.ctx.now()
  const ctx = { ...engine.ctx, sql: Object.assign(() => {}) as never, now: () => now }
  const chores: Chore[] = [
    {
      name: 'never',
      run() {
        started.push('never')
        return new Promise(() => {})
      },
    },
    { name: 'fails', run: async () => Promise.reject(new Error('it went wrong')) },
    { name: 'works', run: async () => started.push('works') },
  ]
  const first = sweep(ctx, chores)
  await vi.advanceTimersByTimeAsync(LIMITS.chore_ms)
  expect(await first).toBe(2)
  expect(engine.log.join('')).toMatch(/"chore_late","chore":"never".+"chore_failed","chore":"fails"/s)
  await sweep(ctx, chores)
  expect(started).toEqual(['never', 'works', 'works'])

  now += LIMITS.chore_lost_ms
  const last = sweep(ctx, chores)
  await vi.advanceTimersByTimeAsync(LIMITS.chore_ms)
  await last
  expect(started).toEqual(['never', 'works', 'works', 'never', 'works'])
})

it('a sweep without time for all chores leaves the rest to the next one, which begins with them', async () => {
  const done: string[] = []
  let now = engine.ctx.now()
  const ctx = { ...engine.ctx, now: () => now }
  const slow = (name: string): Chore => ({
    name,
    async run() {
      now += LIMITS.sweep_ms / 2
      done.push(name)
      return 0
    },
  })
  const chores = ['first', 'second', 'third'].map(slow)
  expect(await sweep(ctx, chores)).toBe(1)
  expect(done.splice(0)).toEqual(['first', 'second'])
  expect(await sweep(ctx, chores)).toBe(1)
  expect(done.splice(0)).toEqual(['third', 'first'])
})

it('housekeeping that found nothing rests for a while, and runs each time as long as it finds something', async () => {
  const done: string[] = []
  const finds = { tidies: 0, fires: 0 }
  let now = engine.ctx.now()
  const ctx = { ...engine.ctx, now: () => now }
  const chore = (name: keyof typeof finds): Chore => ({
    name,
    run: async () => {
      done.push(name)
      return finds[name]
    },
  })
  const inTurn = choresInTurn([chore('fires'), { ...chore('tidies'), rests: true }])
  const sweeps = async () => {
    await sweep(ctx, inTurn(now))
    return done.splice(0)
  }
  expect(await sweeps()).toEqual(['fires', 'tidies'])
  now += LIMITS.chore_rest_ms - 1
  expect(await sweeps()).toEqual(['fires'])
  now += 1
  finds.tidies = 1
  expect(await sweeps()).toEqual(['fires', 'tidies'])
  expect(await sweeps()).toEqual(['fires', 'tidies'])
  finds.tidies = 0
  expect(await sweeps()).toEqual(['fires', 'tidies'])
  expect(await sweeps()).toEqual(['fires'])
  now -= 3_600_000
  expect(await sweeps()).toEqual(['fires', 'tidies'])
})

it('setting the clock back by an hour ends a sweep, and a chore that hung is restarted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const started: string[] = []
  let now = engine.ctx.now()
  const ctx = { ...engine.ctx, sql: Object.assign(() => {}) as never, now: () => now }
  const hung: Chore = {
    name: 'hung',
    run() {
      started.push('hung')
      return new Promise(() => {})
    },
  }
  const setsBack: Chore = {
    name: 'sets back',
    async run() {
      now -= 3_600_000
      return 1
    },
  }
  const rest: Chore = { name: 'rest', run: async () => started.push('rest') }
  const chores = [hung, setsBack, rest]
  const first = sweep(ctx, chores)
  await vi.advanceTimersByTimeAsync(LIMITS.chore_ms)
  expect(await first).toBe(2) // one done, one left
  const second = sweep(ctx, chores)
  await vi.advanceTimersByTimeAsync(LIMITS.chore_ms)
  await second
  expect(started).toEqual(['hung', 'rest', 'hung'])
})

it('a process that starts before its PostgreSQL waits for it', async () => {
  const parts = new AsyncDisposableStack()
  try {
    const database: TestStore = parts.adopt(await testDatabase(), one => one.drop())
    const redis = parts.adopt(await testRedis(), one => one.drop())
    const folder = parts.adopt(await tempFolder(), one => one.remove())
    const port = await freePort()
    const url = new URL(database.url)
    const target = { host: url.hostname, port: Number(url.port) }
    url.port = String(port)
    const { promise: waits, resolve: isWaiting } = Promise.withResolvers<void>()
    const starting = startServer({
      port: 0,
      host: '127.0.0.1',
      dataDir: folder.path,
      masterKey: 'ab'.repeat(32),
      databaseUrl: url.href,
      redisUrl: redis.url,
      parts: ['api', 'tick'],
      writeLog: line => line.includes('"waiting_for_postgres"') && isWaiting(),
    })
    await waits
    const sockets = new Set<Socket>()
    const server = createServer(client => {
      const upstream = connect(target)
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on('error', () => {})
      }
      client.pipe(upstream).pipe(client)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    parts.defer(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    const started = parts.adopt(await starting, one => one.close())
    expect((await fetch(`${started.url}/health/ready`)).status).toBe(200)
  } finally {
    await parts.disposeAsync()
  }
})
