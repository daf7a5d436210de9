// Wakes consumers in other processes by a Redis channel, and tells them of runs that were aborted. A hint: a lost message costs until the next tick, no more.

import type { Redis } from '../context.ts'

const CHANNEL = 'assay:wake'

/** Tells every listening process that there is work; failures are the tick's to mend. */
export function publishWake(redis: Redis): void {
  redis.publish(CHANNEL, '').catch(() => {})
}

/** Tells every listening process that nothing of a run is to be held any more; their heartbeats find out as well. */
export function publishAbort(redis: Redis, runId: string): void {
  redis.publish(CHANNEL, runId).catch(() => {})
}

/**
 * Calls `onWake` for every message until the returned function is called, with the run where one was aborted;
 * reconnects by itself.
 */
export function listenForWakes(redis: Redis, onWake: (aborted?: string) => void): () => void {
  const isCluster = 'slots' in redis
  // A client of a cluster subscribes at one node, to which the others pass messages on, and at the next when that dies.
  const subscriber = isCluster
    ? redis.duplicate()
    : redis.duplicate({ lazyConnect: true, autoResubscribe: false, maxRetriesPerRequest: null })
  subscriber.on('error', () => {}) // Redis may be away; the client goes on trying
  subscriber.on('message', (_, aborted: string) => onWake(aborted || undefined))
  const subscribe = () => void subscriber.subscribe(CHANNEL).catch(() => {})
  if (isCluster) subscribe()
  else {
    // Told to, a client of one server subscribes again by itself; what then fails is caught by nobody and ends the process.
    subscriber.on('ready', subscribe)
    subscriber.connect().catch(() => {})
  }
  return () => subscriber.disconnect()
}
