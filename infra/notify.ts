// Notifies consumer functions by calling them. Guarantee: a call that began earlier never swallows a notification after
// the last commit; and however many processes notify however often, there are no more calls than consumers wanted.

import type { Context, Redis } from '../shared/context.ts'
import { LIMITS } from '../shared/kernel/limits.ts'
import { pause } from '../shared/kernel/pause.ts'
import { releaseCall, reserveCall } from '../shared/redis/consumer-presence.ts'

export interface NotifierOptions {
  /** The URL of the consumer function. */
  url: string
  bearer: string
  redis: Redis
  fetch: typeof fetch
  newId(): string
  /** Keeps the invocation alive until the call has ended, on hosts that stop an invocation after its response. */
  waitUntil(promise: Promise<unknown>): void
  log: Context['log']
}

export interface Notifier {
  /** Requests this many consumers in total. */
  notify(consumers?: number): void
  /** Gives open calls LIMITS.drain_ms to arrive, then aborts them. */
  close(): void
}

/**
 * Each call stays open until the consumer has answered: the consumer works meanwhile, and platforms count the open
 * request as its load.
 */
export function createNotifier(options: NotifierOptions): Notifier {
  const { url, bearer, redis, fetch, newId, waitUntil, log } = options
  const closing = new AbortController()
  let open = 0
  let wanted = 0
  let isAsking = false
  let again = false

  function notify(consumers = 1): void {
    wanted = Math.max(wanted, consumers)
    if (!isAsking) waitUntil(ask())
  }

  /** Notifications that arrive during a query to Redis lead to one more query after it. */
  async function ask(): Promise<void> {
    isAsking = true
    while (wanted > 0) {
      const most = wanted
      wanted = 0
      const call = newId()
      if (!(await reserveCall(redis, call, most))) continue // consumers that are awake, or about to be, see the work
      if (open < most) waitUntil(hold(call, most))
      else {
        // The consumer that this process has called is about to end, or has not started yet.
        again = true
        await releaseCall(redis, call)
      }
    }
    isAsking = false
  }

  async function hold(booked: string, most: number): Promise<void> {
    open++
    let call: string | null = booked
    for (const waitMs of [...LIMITS.notify_backoff_ms, null]) {
      if (call !== null && (await woke())) break
      if (call !== null) await releaseCall(redis, call)
      if (waitMs === null || closing.signal.aborted) break // the tick calls a consumer later
      await pause(waitMs, closing.signal)
      call = newId()
      // A consumer that died counts as awake for a while; after that another one is called.
      if (!(await reserveCall(redis, call, most))) call = null
    }
    open--
    if (!again) return
    again = false
    notify()
  }

  async function woke(): Promise<boolean> {
    const headers = { authorization: `Bearer ${bearer}` }
    try {
      const response = await fetch(url, { method: 'POST', headers, signal: closing.signal })
      await response.body?.cancel()
      if (!response.ok) log('warn', 'poke_refused', { url, status: response.status })
      // Other failures do not pass with time, so they are not retried.
      return response.status < 500 && response.status !== 429
    } catch (error) {
      if (!closing.signal.aborted) log('warn', 'poke_failed', { url, error: String(error) })
      return false
    }
  }

  return {
    notify,
    close() {
      if (open > 0) setTimeout(() => closing.abort(), LIMITS.drain_ms)
    },
  }
}
