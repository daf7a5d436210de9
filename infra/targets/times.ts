// How long a request may take at each place it passes, reckoned from the one time that an operator chooses: the
// consumer's. Guarantee: whoever waits outlives whom it waits for, so that an end is told by the one who knows the reason.

import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Role } from './image.ts'

/** Between the last moment of what is waited for and the end of waiting: to give back items, and to say so. */
const SPARE_S = 5

/** No answer is longer under way than an event stream, and no request than an upload. */
export const STREAM_S = Math.max(LIMITS.event_stream_ms, LIMITS.upload_ms) / 1000 + SPARE_S

export interface Times {
  /** One invocation of the consumer, ASSAY_CONSUME_SECONDS. */
  consumer_s: number
  /** What the platform gives a request to a function of the role. */
  request_s: Record<Role, number>
  /** What the gateway of a platform gives a request, whichever function it leads to. */
  gateway_s: number
}

/**
 * The times of an installation whose consumers work for so long.
 *
 * @example
 * timesOf(50).request_s.consumer // 55: five seconds after the consumer gave back what it held
 */
export function timesOf(consumer_s: number): Times {
  const consumer = consumer_s + SPARE_S
  const request_s = {
    api: STREAM_S,
    // The router is cut off last: after its unit, and after the watchdog before the unit.
    router: STREAM_S + 2 * SPARE_S,
    consumer,
    runtime: consumer, // it works while a consumer waits for it, and no longer
    tick: LIMITS.tick_function_ms / 1000 + SPARE_S,
  }
  // Before the gateway stands nothing of ours: it outlives every function, and the watchdog of each.
  return { consumer_s, request_s, gateway_s: Math.max(...Object.values(request_s)) + 2 * SPARE_S }
}

/** What the watchdog of OpenFaaS is told: it answers 504 itself at `exec`, and closes the connection at `write`. */
export const watchdogTimes = (request_s: number) => ({
  read_timeout: `${request_s + SPARE_S}s`, // an upload may arrive for as long as its answer may take
  write_timeout: `${request_s + SPARE_S}s`, // also how long a pod may take to end
  exec_timeout: `${request_s}s`,
  healthcheck_interval: '5s', // it goes on for so long after it was asked to stop; its default is write_timeout
})

/** A process that takes no request for a minute is started anew: longer than it waits for any statement of a request. */
export const PROBES = {
  readiness: { periodSeconds: 1 },
  liveness: { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
} as const

/** A consumer that stays up waits for items in flight, and writes their results, before it ends. */
export const CONSUMER_GRACE_S = (LIMITS.drain_ms + LIMITS.store_answer_ms) / 1000 + SPARE_S
