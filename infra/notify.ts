// Wakes consumer functions by calling them. Guarantee: a notification after the last commit is never swallowed by a call that
// began before it; and however many processes are notified however often, no more calls are made than consumers wanted.

import type { Context, Redis } from '../shared/context.ts'
import { LIMITS } from '../shared/kernel/limits.ts'
import { pause } from '../shared/kernel/pause.ts'
import { releaseCall, reserveCall } from '../shared/redis/consumer-presence.ts'

export interface NotifierOptions {
  /** Where the consumer function answers. */
  url: string
  bearer: string
  redis: Redis
  fetch: typeof fetch
  newId(): string
  /** Keeps the invocation alive until the call has ended, where hosts end with their answer. */
  waitUntil(promise: Promise<unknown>): void
  log: Context['log']
}

export interface Notifier {
  /** Asks for so many consumers altogether. */
  notify(consumers?: number): void
  /** Gives calls under way time to arrive, then lets go of them. */
  close(): void
}

/**
 * A call is held open until the consumer has answered: it works meanwhile, and platforms count the open request as
 * its load.
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

  /** Notifications that come while Redis is asked are one more question, after it. */
  async function ask(): Promise<void> {
    isAsking = true
    while (wanted > 0) {
      const most = wanted
      wanted = 0
      const call = newId()
      if (!(await reserveCall(redis, call, most))) continue // those that are awake, or will be, see the work
      if (open < most) waitUntil(hold(call, most))
      else {
        // Whom this process has called is on its way out already, or not yet there.
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
      if (waitMs === null || closing.signal.aborted) break // the tick mends it
      await pause(waitMs, closing.signal)
      call = newId()
      // One that died counts as awake for a while; then it is not, and another is called.
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
      // What is not a matter of time is not tried again.
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
