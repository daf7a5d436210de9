// Runs the queue consumer in a process that stays up: one invocation at a time, started by a notification.

import { GivenClaims } from '../../shared/claims/verbs/given-claims.ts'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import type { Consumed } from '../../shared/consumer/verbs/consume-options.ts'
import type { Context, OwnConsumer } from '../../shared/context.ts'
import { errorText } from '../../shared/kernel/error-text.ts'

export interface ConsumerLoop {
  notify(aborted?: string): void
  given: OwnConsumer
  /** Ends the running invocation and starts no other. */
  close(): Promise<void>
}

export function startConsumer(ctx: () => Context): ConsumerLoop {
  const stop = new AbortController()
  let invocation: Promise<void> | null = null
  let wake: (aborted?: string) => void = () => {}
  // Set by every notification: one that arrives while an invocation is about to end must start another.
  let notified = false

  const given = new GivenClaims(() => {
    wake()
    begin()
  })
  const isWanted = () => !given.isEmpty || (notified && !stop.signal.aborted)

  async function invoke(): Promise<void> {
    while (isWanted()) {
      notified = false
      let consumed: Consumed
      try {
        consumed = await consume(ctx(), { stop: stop.signal, onWake: wakes => (wake = wakes), given })
      } catch (error) {
        ctx().log('error', 'consume_failed', { error: errorText(error) })
        continue
      } finally {
        given.hasRoom = () => true
      }
      if (consumed.claimed > 0) ctx().log('info', 'consumed', { ...consumed })
    }
  }

  function notify(aborted?: string): void {
    notified = true
    wake(aborted)
    begin()
  }

  function begin(): void {
    invocation ??= invoke().finally(() => {
      invocation = null
      if (isWanted()) begin()
    })
  }

  return {
    notify,
    given,
    async close() {
      stop.abort()
      await invocation
    },
  }
}
