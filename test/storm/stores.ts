// The storm's PostgreSQL and Redis: on one disk, each behind a relay, restarted by `ensureUp`. Guarantee: a store keeps
// its port, so that clients past the relay find it again.

import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import type { Store } from '../../infra/local/store.ts'
import { migrate } from '../../infra/migrate.ts'
import { type Relay, startRelay } from '../faults/support/relay.ts'

const CONNECTIONS = 120 // for five processes, the storm itself and a fault that takes the rest

export interface KeptStore {
  /** Leads past the relay. */
  url: string
  /** Leads through the relay. */
  relayed_url: string
  relay: Relay
  kill(): Promise<void>
  stop(): Promise<void>
  /** Starts it if it is down; a store whose disk was full may have ended by itself. */
  ensureUp(): Promise<void>
  close(): Promise<void>
}

async function keep(open: () => Promise<Store>): Promise<KeptStore> {
  let store = await open()
  let isUp = true
  const watch = () => {
    isUp = true
    void store.exited.then(() => {
      isUp = false
    })
  }
  watch()
  const { url, port } = store
  const relay = await startRelay([port])
  return {
    url,
    relayed_url: Object.assign(new URL(url), { port: String(relay.port) }).href,
    relay,
    kill: () => store.kill(),
    stop: () => store.stop(),
    async ensureUp() {
      if (isUp) return
      store = await open()
      watch()
      if (store.port !== port) throw new Error(`port ${port} was taken by somebody else`)
    },
    async close() {
      await relay.close()
      await store.stop()
    },
  }
}

export async function keepPostgres(dataDir: string): Promise<KeptStore> {
  const kept = await keep(() =>
    // A short WAL fits on the disk, and is recycled within a round.
    startPostgres({
      dataDir,
      connections: CONNECTIONS,
      settings: { max_wal_size: '256MB', min_wal_size: '64MB' },
    }),
  )
  await migrate(kept.url)
  return kept
}

export const keepRedis = (dataDir: string): Promise<KeptStore> => keep(() => startRedis({ dataDir }))
