// Several installations in one Redis: with names of their own none sees anything of another's, and without them each
// gets to know that it is not alone.

import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext, type NodeContext } from '../../../infra/node/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { recall, remember } from '../../../shared/redis/cache.ts'
import {
  countPresent,
  markGone,
  markPresent,
  releaseCall,
  reserveCall,
} from '../../../shared/redis/consumer-presence.ts'
import { forgetBuckets, takeToken, takeTokens } from '../../../shared/redis/rate.ts'
import { isFirstWithin, letNextIn } from '../../../shared/redis/throttle.ts'
import { dropTurns, noteTurn, readTurns } from '../../../shared/redis/turns.ts'
import { listenForWakes, publishAbort, publishWake } from '../../../shared/redis/wake.ts'
import { checkMasterKey } from '../../../shared/upkeep/verbs/installation.ts'
import { readMetrics } from '../../../shared/upkeep/verbs/metrics.ts'
import { probe } from '../../../shared/upkeep/verbs/readiness.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { eventually } from '../../support/eventually.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'

const KEY = '11'.repeat(32)
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
beforeEach(forgetBuckets)

type Opened = NodeContext & { lines: string[] }

/** Opens installations with databases of their own in one Redis. */
async function installations(...names: (string | undefined)[]): Promise<Opened[]> {
  const { url: redisUrl } = parts.adopt(await testRedis(), one => one.drop())
  return Promise.all(
    names.map(async installation => {
      const { url: databaseUrl } = parts.adopt(await testDatabase(), one => one.drop())
      const connections = openConnections({ databaseUrl, redisUrl, installation })
      parts.defer(() => connections.close())
      await checkMasterKey(connections.sql, KEY)
      const lines: string[] = []
      const config = { base_url: '', master_key: KEY }
      return { ...createContext({ connections, config, writeLog: line => lines.push(line) }), lines }
    }),
  )
}

const bucket = { name: 'sign-in:somebody', per_second: 0.001, burst: 2 }

/** Does everything that Redis is used for. */
async function useAll(ctx: NodeContext): Promise<void> {
  const { redis } = ctx
  await remember(redis, 'name', 'theirs', 60_000)
  await recall(redis, 'name')
  await reserveCall(redis, 'call', 9)
  await releaseCall(redis, 'call')
  await reserveCall(redis, 'another', 9)
  await markPresent(redis, 'consumer-1')
  await markPresent(redis, 'consumer-2')
  await markGone(redis, 'consumer-2')
  await takeTokens(redis, bucket, 2, Date.now())
  await takeToken(ctx, bucket)
  await isFirstWithin(ctx, 'open:tick', 60_000)
  await letNextIn(ctx, 'another')
  await noteTurn(redis, 'tick', 'theirs')
  await noteTurn(redis, 'consumer', 'busy')
  await noteTurn(redis, 'consumer', 'gone')
  dropTurns(redis, 'consumer', 'gone')
  publishWake(redis)
  publishAbort(redis, 'run')
  await ctx.idle()
}

describe.each([
  ['one named and one without a name', 'staging', undefined],
  ['one without a name and one named', undefined, 'staging'],
  ['both named', 'production', 'staging'],
  ['one whose name begins with the other', 'a', 'a-b'],
  ['one whose name ends with what the other keeps', 'wake', 'turns'],
])('of two installations in one Redis, %s,', (_, theirs, ours) => {
  it('neither sees consumers, calls, limits, marks, caches, turns or wakes of the other', async () => {
    const [their, our] = (await installations(theirs, ours)) as [Opened, Opened]
    const heard: unknown[] = []
    parts.defer(listenForWakes(our.redis, aborted => heard.push(aborted)))
    await eventually(async () => {
      publishWake(our.redis)
      expect(heard.length).toBeGreaterThan(0)
    })
    await useAll(their)
    forgetBuckets() // what a process of its own has not counted

    expect(await recall(our.redis, 'name')).toBeUndefined()
    expect(await countPresent(our.redis)).toBe(0)
    expect(await reserveCall(our.redis, 'call', 1)).toBe(true)
    expect(await takeTokens(our.redis, bucket, 2, Date.now())).toBe(0)
    expect(await isFirstWithin(our, 'open:tick', 60_000)).toBe(true)
    expect(await readTurns(our.redis)).toMatchObject({
      tick: { status: 'none' },
      consumer: { status: 'none' },
    })
    heard.length = 0
    publishAbort(our.redis, 'our-run')
    await eventually(() => expect(heard).toContain('our-run'))
    expect(heard).not.toContain('run')
  })

  it('each is ready, and reports its own turns', async () => {
    const [their, our] = (await installations(theirs, ours)) as [Opened, Opened]
    await sweep(their)
    await eventually(async () => expect((await readTurns(their.redis)).tick.status).toBe('ok'))
    expect(await probe(our)).toMatchObject({
      status: 'ready',
      dependencies: { redis: { status: 'ok', reason: null } },
      turns: { tick: { status: 'none' } },
    })
    await sweep(our)
    await eventually(async () => expect((await readTurns(our.redis)).tick.status).toBe('ok'))
    expect([...their.lines, ...our.lines].join()).not.toContain('redis_shared')
  })
})

it.each([
  ['without a name', undefined, 'assay'],
  ['with a name', 'staging', 'assay-staging'],
])('all keys and channels of an installation %s begin with it', async (_, name, prefix) => {
  const [ctx] = (await installations(name)) as [Opened]
  const asker = parts.adopt(new Redis(ctx.redis.options as never), one => one.disconnect())
  const monitor = parts.adopt(await asker.monitor(), one => one.disconnect())
  const named = new Set<string>()
  const { db } = ctx.redis.options as { db: number }
  monitor.on('monitor', (_, [command, ...args]: string[], source, database) => {
    if (source === 'lua' || Number(database) !== db) return
    if (/^(get|set|zrem|publish|subscribe)$/i.test(command!)) named.add(args[0]!)
    if (/^eval$/i.test(command!)) for (const key of args.slice(2, 2 + Number(args[1]))) named.add(key)
  })
  parts.defer(listenForWakes(ctx.redis, () => {}))
  await useAll(ctx)
  await probe(ctx)
  await sweep(ctx)
  await eventually(() =>
    expect([...named].sort()).toEqual(
      ['cache:name', 'rate:sign-in:somebody', 'seldom:another', 'seldom:open:tick', 'turns', 'wake']
        .map(one => `${prefix}:${one}`)
        .concat([`{${prefix}:consumers}:awake`, `{${prefix}:consumers}:called`])
        .sort(),
    ),
  )
})

it.each([
  ['without a name', undefined],
  ['of the same name', 'staging'],
])(
  'two installations %s in one Redis are told so by readiness and the log, with what to set [health.degraded, log.redis_shared]',
  async (_, name) => {
    const [first, second] = (await installations(name, name)) as [Opened, Opened]
    await sweep(first)
    await eventually(async () => expect((await readTurns(first.redis)).tick.status).toBe('ok'))
    expect((await probe(first)).dependencies.redis).toMatchObject({ status: 'ok' })

    // The second's tick had no turn, since the first's holds its mark; it sees the other's all the same.
    expect(await probe(second)).toMatchObject({
      status: 'ready',
      dependencies: { redis: { status: 'degraded', reason: expect.stringMatching(/ASSAY_INSTALLATION/) } },
    })
    await sweep(second)
    await eventually(() => expect(second.lines.join()).toMatch(/redis_shared.*ASSAY_INSTALLATION/))
    await sweep(first)
    await eventually(() => expect(first.lines.join()).toMatch(/redis_shared/))
    await sweep(first)
    await sweep({ ...first, sql: new Proxy(first.sql, {}) }) // a host that remembers nothing from tick to tick
    await first.idle()
    expect(first.lines.filter(line => line.includes('redis_shared'))).toHaveLength(1)
  },
)

it('what shared the Redis long ago is forgotten', async () => {
  const [ctx] = (await installations(undefined)) as [Opened]
  await noteTurn(ctx.redis, 'tick', 'another', LIMITS.neighbour_ms - 1000)
  expect(await noteTurn(ctx.redis, 'tick', 'own')).toEqual(['another', 'own'])
  await noteTurn(ctx.redis, 'tick', 'another', LIMITS.neighbour_ms)
  expect((await probe(ctx)).dependencies.redis).toMatchObject({ status: 'degraded' }) // "own" is not this one's id
  await ctx.redis.flushdb()
  await noteTurn(ctx.redis, 'tick', 'another', LIMITS.neighbour_ms)
  expect(await noteTurn(ctx.redis, 'tick', 'own')).toEqual(['own'])
})

it('every series of a named installation has its name, and none of one without', async () => {
  const [named, other] = (await installations('staging', undefined)) as [Opened, Opened]
  const series = async (ctx: NodeContext) =>
    (await readMetrics(ctx)).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const lines = await series(named)
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.filter(line => !/^\w+\{installation="staging"[,}]/.test(line))).toEqual([])
  expect((await series(other)).join()).not.toContain('installation')
})
