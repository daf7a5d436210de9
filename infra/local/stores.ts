// Opens PostgreSQL and Redis for a local stack: its own unless a URL names another. A store that dies while the stack
// is up is started again on the same port, as often as needed. Its data is kept, and meanwhile /health/ready reports it
// as unreachable.

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
  /** Called when a store died and could only be started again on another port. */
  onLost(reason: Error): void
}

/** The wait between two tries: a store with a full disk dies at once, possibly for hours. */
const BACKOFF_MS = { base: 500, max: 30_000 }
/** A store that was up for so long counts as healthy again. */
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

  /** Returns undefined where the store did not start. */
  const startAgain = () =>
    start().catch((error: Error) => {
      options.say(error.message)
      return undefined
    })
  /** Returns undefined where the stack is closing. */
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
