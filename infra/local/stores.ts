// PostgreSQL and Redis of one local stack: its own unless a URL names another. One that dies while the stack is up is
// started again on the same port, as often as it takes; what it held is still there, and meanwhile /health/ready says that
// it is away.

import { pause } from '../../shared/kernel/pause.ts'
import type { DataFolder } from './data-folder.ts'
import { ExitError } from './exit-error.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import type { Store } from './store.ts'

export interface Stores {
  databaseUrl: string
  redisUrl: string
  close(): Promise<void>
}

export interface StoresOptions {
  dataFolder: DataFolder
  databaseUrl?: string | undefined
  redisUrl?: string | undefined
  say(line: string): void
  /** One died, and what can be started again is not what it was. */
  onLost(reason: Error): void
}

/** Between two tries: a store whose disk is full dies as soon as it starts, and may do so for hours. */
const BACKOFF_MS = { base: 500, max: 30_000 }
/** Up for so long, it is well. */
const WELL_MS = 60_000

export async function openStores(options: StoresOptions): Promise<Stores> {
  const { dataFolder, say } = options
  const own = { dataDir: dataFolder.path, say }
  const opening = [
    options.databaseUrl === undefined ? watch('PostgreSQL', () => startPostgres(own), options) : undefined,
    options.redisUrl === undefined ? watch('Redis', () => startRedis(own), options) : undefined,
  ]
  const outcomes = await Promise.allSettled(opening)
  const close = async () => {
    await Promise.all(
      outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value?.close() : undefined)),
    )
  }
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed !== undefined) {
    await close()
    throw failed.reason
  }
  const [database, redis] = await Promise.all(opening)
  return {
    databaseUrl: options.databaseUrl ?? database!.url,
    redisUrl: options.redisUrl ?? redis!.url,
    close,
  }
}

interface Watched {
  url: string
  close(): Promise<void>
}

async function watch(name: string, start: () => Promise<Store>, options: StoresOptions): Promise<Watched> {
  const closing = new AbortController()
  let store = await start()
  const { url } = store
  let tries = 0

  /** Undefined where it did not come up. */
  const startAgain = () =>
    start().catch((error: Error) => {
      options.say(error.message)
      return undefined
    })
  /** Undefined where nobody wants it any more. */
  const again = async (): Promise<Store | undefined> => {
    for (;;) {
      const wait_ms = Math.min(BACKOFF_MS.base * 2 ** tries++, BACKOFF_MS.max)
      options.say(`${name} died; starting it again${tries > 1 ? ` in ${wait_ms / 1000} s` : ''}`)
      if (tries > 1) await pause(wait_ms, closing.signal)
      if (closing.signal.aborted) return undefined
      const started = await startAgain()
      if (started !== undefined) return started
    }
  }
  const keep = async () => {
    for (;;) {
      const up_ms = performance.now()
      await store.exited
      if (closing.signal.aborted) return
      if (performance.now() - up_ms >= WELL_MS) tries = 0
      const next = await again()
      if (next === undefined) return
      store = next
      if (closing.signal.aborted) return store.stop()
      if (store.url !== url) {
        await store.stop()
        throw new ExitError('store_lost', `${name} died and another process took its port; start again`)
      }
    }
  }
  const kept = keep().catch(options.onLost)
  return {
    url,
    async close() {
      closing.abort()
      await store.stop()
      await kept
    },
  }
}
