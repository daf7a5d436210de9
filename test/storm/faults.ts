// The faults that may strike an installation. Guarantee: each fault ends by itself and leaves nothing but its damage;
// faults that touch PostgreSQL record from when to when.

import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import type { Window } from './closures.ts'
import type { Installation } from './installation.ts'
import type { Refusal } from './provider.ts'
import type { KeptStore } from './stores.ts'

/** One planned strike of a fault, chosen beforehand so that the seed determines all of it. */
export interface Strike {
  fault: string
  at_ms: number
  unit: number
  /** From 0 to below 1; most faults take their duration from it. */
  strength: number
}

export interface Fault {
  /** Faults of one target strike one after the other, except those of units. */
  target: 'unit' | 'postgres' | 'redis' | 'disk' | 'provider' | 'url agent'
  /** How often it is drawn, relative to the other faults. */
  weight: number
  strike(installation: Installation, strike: Strike): Promise<void>
}

const RESTART_MS = 2000
const between = (min: number, max: number, { strength }: Strike) => Math.round(min + (max - min) * strength)

/** Records the window in which callers may get `store_unreachable`; checkAnswers adds time for connections it broke. */
const inTrouble = ({ trouble }: Installation, work: () => Promise<unknown>) => within(trouble, work)

/** Records from when to when something takes. */
async function within(windows: Window[], work: () => Promise<unknown>): Promise<void> {
  const window = { from: Date.now(), to: Number.POSITIVE_INFINITY }
  windows.push(window)
  try {
    await work()
  } finally {
    window.to = Date.now()
  }
}

const unitOf = ({ units }: Installation, { unit }: Strike) => units[unit % units.length]!

/** Faults of a store and of its network, the same for both; callers may notice only those of PostgreSQL. */
function ofNetwork(target: 'postgres' | 'redis'): Record<string, Fault> {
  const on = (work: (store: KeptStore, strike: Strike) => Promise<unknown>): Fault => ({
    target,
    weight: 1,
    strike: (installation, strike) =>
      target === 'postgres'
        ? inTrouble(installation, () => work(installation.postgres, strike))
        : work(installation.redis, strike).then(() => {}),
  })
  return {
    [`cut ${target}`]: on(async ({ relay }) => relay.cut()),
    [`delay ${target}`]: on(async ({ relay }, strike) => {
      const end = relay.delay(between(100, 800, strike))
      await pause(between(2000, 4000, strike))
      end()
    }),
    [`refuse ${target}`]: on(async ({ relay }, strike) => {
      const end = relay.refuse()
      relay.cut()
      await pause(between(500, 3000, strike))
      await end()
    }),
    [`silence ${target}`]: on(async ({ relay }, strike) => {
      const end = relay.hold()
      await pause(between(500, 4000, strike))
      end()
    }),
    [`kill ${target}`]: on(async store => {
      await store.kill()
      await pause(RESTART_MS)
      await store.ensureUp()
    }),
    [`restart ${target}`]: on(async store => {
      await store.stop()
      await store.ensureUp()
    }),
  }
}

/** Changes settings of Redis for a while, past the relay. */
function ofRedisSettings(settings: Record<string, [during: string, after: string]>): Fault {
  return {
    target: 'redis',
    weight: 1,
    async strike({ redis }, strike) {
      await withRedis(redis, async client => {
        for (const [name, [during]] of Object.entries(settings)) await client.config('SET', name, during)
        await pause(between(2000, 4000, strike))
        for (const [name, [, after]] of Object.entries(settings)) await client.config('SET', name, after)
      })
    },
  }
}

async function withRedis({ url }: KeptStore, work: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url)
  client.on('error', () => {})
  try {
    await work(client)
  } finally {
    client.disconnect()
  }
}

/** Takes all free connections, like a tool that knows nothing of the other clients. */
async function takeConnections({ url }: KeptStore, ms: number): Promise<void> {
  const sql = postgres(url, { max: 200, onnotice: () => {} })
  const taken = Array.from({ length: 200 }, () => sql`select pg_sleep(${ms / 1000})`.catch(() => {}))
  await pause(ms)
  await Promise.all(taken)
  await sql.end({ timeout: 1 })
}

function ofProvider(how: Refusal, min_ms: number, max_ms: number): Fault {
  return {
    target: 'provider',
    weight: 1,
    strike: ({ provider, struck }, strike) =>
      within(struck.credential, async () => {
        const end = provider.refuse(how)
        await pause(between(min_ms, max_ms, strike))
        end()
      }),
  }
}

/** What items need outside refuses them. These strike in every round, beside the others. */
export const UPSTREAM_FAULTS: Record<string, Fault> = {
  'provider away': ofProvider('away', 2000, 6000),
  'provider out of credit': ofProvider('out of credit', 2000, 6000),
  'provider limits': ofProvider('limits', 2000, 4000),
  'url agent restarts': {
    target: 'url agent',
    weight: 1,
    strike: ({ leaveUrlAgent, struck }, strike) =>
      within(struck.agent, () => leaveUrlAgent(between(1000, 4000, strike))),
  },
}

export const FAULTS: Record<string, Fault> = {
  'kill a process': {
    target: 'unit',
    weight: 5,
    strike: (installation, strike) => unitOf(installation, strike).end('SIGKILL'),
  },
  'end a process': {
    target: 'unit',
    weight: 2,
    strike: (installation, strike) => unitOf(installation, strike).end('SIGTERM'),
  },
  'stop a process': {
    target: 'unit',
    weight: 3,
    strike: (installation, strike) => unitOf(installation, strike).standStill(between(1000, 6000, strike)),
  },
  'skew a clock': {
    target: 'unit',
    weight: 2,
    async strike(installation, strike) {
      const end = unitOf(installation, strike).skew()
      await pause(between(2000, 6000, strike))
      end()
    },
  },
  ...ofNetwork('postgres'),
  ...ofNetwork('redis'),
  'empty redis': {
    target: 'redis',
    weight: 1,
    strike: ({ redis }) => withRedis(redis, client => client.flushall()),
  },
  'make redis read-only': ofRedisSettings({ 'min-replicas-to-write': ['1', '0'] }),
  'fill redis': ofRedisSettings({ maxmemory: ['1', '0'] }),
  'let redis evict': ofRedisSettings({
    'maxmemory-policy': ['allkeys-random', 'noeviction'],
    maxmemory: ['1mb', '0'],
  }),
  'take all connections': {
    target: 'postgres',
    weight: 1,
    strike: (installation, strike) =>
      inTrouble(installation, () => takeConnections(installation.postgres, between(1000, 3000, strike))),
  },
  'fill the disk': {
    target: 'disk',
    weight: 1,
    async strike(installation, strike) {
      const { disk, postgres, redis } = installation
      if (disk.fill === undefined) return
      const fill = disk.fill
      await inTrouble(installation, async () => {
        const end = await fill()
        await pause(between(2000, 4000, strike))
        await end()
        // Either store may have ended by itself.
        await Promise.all([postgres.ensureUp(), redis.ensureUp()])
      })
    },
  },
}
