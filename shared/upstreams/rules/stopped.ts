// Decides about an item whose call did not go well. Guarantee: what an upstream does to it uses none of its retries; what is
// its own fault ends it as any error does; and an answer that was cut may have been paid for three times at most.

import { LIMITS } from '../../kernel/limits.ts'
import type { Fault } from '../vocabulary.ts'

interface Stopped {
  fault: Fault
  /** Nobody is served. */
  is_closed: boolean
  /** Others were served since the item was stopped before. */
  others_served: boolean
  /** How often it was stopped since its last recorded step, and how often of these while others were served. */
  stops: number
  refusals: number
  cut_answers: number
  retry_after_ms: number | null
  /** Nothing of the item was sent to its agent, so it cannot have done it. */
  is_unsent: boolean
}

export type Next =
  /** It waits for its upstream. */
  | { is: 'waiting' }
  /** It is sent again by itself. */
  | { is: 'again'; delay_ms: number }
  /** It is reported as its own error. */
  | { is: 'its own' }
  /** It ends: no other attempt is worth its cost. */
  | { is: 'cut too often' }

export function nextOf(stopped: Stopped): Next {
  const { fault, is_closed, others_served, stops, refusals, cut_answers, retry_after_ms, is_unsent } = stopped
  if (fault === 'rejected' || fault === 'provider_error') return { is: 'its own' }
  if (fault === 'cut' && cut_answers + 1 >= LIMITS.cut_answers) return { is: 'cut too often' }
  if (is_unsent) return is_closed ? { is: 'waiting' } : { is: 'again', delay_ms: LIMITS.restart_retry_ms }
  const most = LIMITS.refusals_of_item * (is_closed ? 2 : 1)
  if (others_served && refusals + 1 >= most) return { is: 'its own' }
  if (is_closed) return { is: 'waiting' }
  if (fault === 'cut') return { is: 'again', delay_ms: 0 }
  if (stops + 1 >= LIMITS.refusals_of_item) return { is: 'its own' }
  return {
    is: 'again',
    delay_ms: Math.min(retry_after_ms ?? 1000 * 2 ** stops, LIMITS.upstream_moment_ms.first),
  }
}
