// Runs one invocation of the consumer, on hosts that call each invocation. Guarantee: work committed before a
// notification is seen by a consumer that is awake or by one that is called; no consumer stays awake for items that
// others hold.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { markGone, markPresent } from '../../redis/consumer-presence.ts'
import { countBacklog } from '../../upkeep/queries/backlog.ts'
import { consume } from './consume.ts'
import type { Consumed, ConsumeOptions } from './consume-options.ts'

export interface InvocationOptions {
  stop: AbortSignal
  /** As in ConsumeOptions. */
  onWake: NonNullable<ConsumeOptions['onWake']>
}

/** Works until nothing is left to claim, or until its time is over and its successor has been woken. */
export async function invokeConsumer(ctx: Context, { stop, onWake }: InvocationOptions): Promise<Consumed> {
  const invocation = new ConsumerInvocation(ctx)
  const began_ms = ctx.now()
  const whole_ms = ctx.config.consume_ms ?? LIMITS.consume_ms
  const part = () =>
    consume(ctx, {
      time_ms: whole_ms - sinceMs(ctx.now(), began_ms),
      began_ms,
      stop,
      onWake,
      onHandOver: () => invocation.handOver(),
    })
  await invocation.begin()
  try {
    const worked = await part()
    await invocation.end()
    if (worked.more) {
      ctx.notify() // for items that were given back after the successor's poll
      return worked
    }
    // A notification that still counted on this consumer may have come after its last poll.
    const found = await part()
    if (found.more) ctx.notify()
    return {
      claimed: worked.claimed + found.claimed,
      settled: worked.settled + found.settled,
      more: found.more,
    }
  } finally {
    await invocation.end()
  }
}

class ConsumerInvocation {
  readonly #ctx: Context
  readonly #id: string
  #beat: ReturnType<typeof setInterval> | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#id = ctx.newId()
  }

  async begin(): Promise<void> {
    await markPresent(this.#ctx.redis, this.#id)
    this.#beat = setInterval(() => {
      void markPresent(this.#ctx.redis, this.#id)
      void this.#callMore()
    }, LIMITS.awake_beat_ms)
  }

  /** From here on a notification calls another consumer. */
  async end(): Promise<void> {
    clearInterval(this.#beat)
    await markGone(this.#ctx.redis, this.#id)
  }

  async handOver(): Promise<void> {
    this.#ctx.log('info', 'handed_over')
    await this.end()
    this.#ctx.notify()
  }

  /** Calls as many consumers as the startable and held items need, within the bound. */
  async #callMore(): Promise<void> {
    const { sql, config, log } = this.#ctx
    const most = config.consumers_max ?? LIMITS.consumers.default
    if (most === 1) return
    try {
      const { startable, in_flight, answered_later } = await countBacklog(sql)
      const held = Math.max(0, in_flight - answered_later)
      const wanted = Math.ceil((startable + held) / LIMITS.items_in_flight_per_consumer)
      if (startable > 0 && wanted > 1) this.#ctx.notify(Math.min(wanted, most))
    } catch (error) {
      log('warn', 'backlog_failed', { error: String(error) }) // the next beat tries again
    }
  }
}
