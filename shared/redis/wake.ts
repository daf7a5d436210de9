// Notifies consumers in other processes through a Redis channel: of new work, and of aborted runs. A hint: a lost
// message delays work until the next tick, or five seconds in a consumer without one.

import type { Redis } from '../context.ts'
import { keyOf } from './keys.ts'

const channelOf = (redis: Redis) => keyOf(redis, 'wake')

/** Notifies every listening process that there is work; if that fails, the tick finds it. */
export function publishWake(redis: Redis): void {
  redis.publish(channelOf(redis), '').catch(() => {})
}

/** Asks every listening process to release the items of a run; their heartbeats find out as well. */
export function publishAbort(redis: Redis, runId: string): void {
  redis.publish(channelOf(redis), runId).catch(() => {})
}

/**
 * Calls `onWake` for every message, with the run's id if it was aborted, until the returned function is called.
 * Reconnects by itself.
 */
export function listenForWakes(redis: Redis, onWake: (aborted?: string) => void): () => void {
  const isCluster = 'slots' in redis
  const channel = channelOf(redis)
  // A client of a cluster subscribes at one node, to which the others forward messages, and at another when that dies.
  const subscriber = isCluster
    ? redis.duplicate()
    : redis.duplicate({ lazyConnect: true, autoResubscribe: false, maxRetriesPerRequest: null })
  subscriber.on('error', () => {}) // Redis may be away; the client keeps retrying
  subscriber.on('message', (_, aborted: string) => onWake(aborted || undefined))
  const subscribe = () => void subscriber.subscribe(channel).catch(() => {})
  if (isCluster) subscribe()
  else {
    // With autoResubscribe the client subscribes again by itself; an error of that is uncaught and ends the process.
    subscriber.on('ready', subscribe)
    subscriber.connect().catch(() => {})
  }
  return () => subscriber.disconnect()
}
