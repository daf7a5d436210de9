// PostgreSQL and Redis of one local stack: its own unless a URL names another. One that dies while the stack is up is
// started again on the same port; what it held is still there.

import type { DataFolder } from './data-folder.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { Refusal } from './refusal.ts'
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
  /** One died and could not be brought back. */
  onLost(reason: Error): void
}

const RESTARTS = 5
const RESTARTS_WITHIN_MS = 60_000

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
  let closing = false
  let store = await start()
  const { url } = store
  const deaths: number[] = []

  const keep = async () => {
    for (;;) {
      await store.exited
      if (closing) return
      const now = Date.now()
      deaths.push(now)
      if (deaths.filter(at => at > now - RESTARTS_WITHIN_MS).length > RESTARTS) {
        throw new Refusal(
          'store_lost',
          `${name} died ${RESTARTS + 1} times within a minute; its log is in the data folder`,
        )
      }
      options.say(`${name} died; starting it again`)
      store = await start()
      if (closing) return store.stop()
      if (store.url !== url) {
        await store.stop()
        throw new Refusal('store_lost', `${name} died and another process took its port; start again`)
      }
    }
  }
  const kept = keep().catch(options.onLost)
  return {
    url,
    async close() {
      closing = true
      await store.stop()
      await kept
    },
  }
}
