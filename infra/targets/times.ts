// Computes how long a request may take at each hop from the one time that an operator chooses, the consumer's.
// Guarantee: every waiting party outlives the one it waits for, so that a timeout is reported by the one that knows the
// reason.

import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Role } from './image.ts'

/** Margin between the end of the work and the end of waiting for it: time to release items and to respond. */
const SPARE_S = 5

/** No response takes longer than an event stream, and no request longer than an upload. */
export const STREAM_S = Math.max(LIMITS.event_stream_ms, LIMITS.upload_ms) / 1000 + SPARE_S

export interface Times {
  /** One invocation of the consumer, ASSAY_CONSUME_SECONDS. */
  consumer_s: number
  /** The platform's timeout for a request to a function, by role. */
  request_s: Record<Role, number>
  /** The timeout of a platform's gateway, the same for all functions. */
  gateway_s: number
}

/**
 * Returns the times of an installation whose consumers work for `consumer_s` seconds.
 *
 * @example timesOf(50).request_s.consumer // 55: five seconds after the consumer gave back what it held
 */
export function timesOf(consumer_s: number): Times {
  const consumer = consumer_s + SPARE_S
  const request_s = {
    api: STREAM_S,
    // The router times out last: after its unit, and after the watchdog in front of the unit.
    router: STREAM_S + 2 * SPARE_S,
    consumer,
    runtime: consumer, // it works only while a consumer waits for it
    tick: LIMITS.tick_function_ms / 1000 + SPARE_S,
  }
  // Nothing of ours is in front of the gateway, so it outlives every function and each watchdog.
  return { consumer_s, request_s, gateway_s: Math.max(...Object.values(request_s)) + 2 * SPARE_S }
}

/** Timeouts of the OpenFaaS watchdog: it answers 504 itself at `exec`, and closes the connection at `write`. */
export const watchdogTimes = (request_s: number) => ({
  read_timeout: `${request_s + SPARE_S}s`, // an upload may take as long as its response
  write_timeout: `${request_s + SPARE_S}s`, // also how long a pod may take to end
  exec_timeout: `${request_s}s`,
  healthcheck_interval: '5s', // it continues this long after a stop signal; by default for write_timeout
})

/** A process that takes no request for a minute is restarted; that is longer than it waits for any SQL statement. */
export const PROBES = {
  readiness: { periodSeconds: 1 },
  liveness: { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
} as const

/** Before a consumer that stays up ends, it waits for items in flight and writes their results. */
export const CONSUMER_GRACE_S = (LIMITS.drain_ms + LIMITS.store_answer_ms) / 1000 + SPARE_S
