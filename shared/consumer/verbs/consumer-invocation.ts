// One invocation of the consumer where each is called for. Guarantee: work that was committed before a notification is seen by
// a consumer that is awake or by one that is called, and nobody stays awake for what others hold.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { markGone, markPresent } from '../../redis/consumer-presence.ts'
import { countBacklog } from '../../upkeep/queries/backlog.ts'
import { consume } from './consume.ts'
import type { Consumed, ConsumeOptions } from './consume-options.ts'

export interface InvocationOptions {
  stop: AbortSignal
  /** As of ConsumeOptions. */
  onWake: NonNullable<ConsumeOptions['onWake']>
}

/** Works until nothing is left to claim or its time is over; then its successor has been woken. */
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
      ctx.notify() // for what was given back after the successor had looked
      return worked
    }
    // A notification that still counted on this consumer came after its last look.
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

  /** From here on a notification calls another. */
  async end(): Promise<void> {
    clearInterval(this.#beat)
    await markGone(this.#ctx.redis, this.#id)
  }

  async handOver(): Promise<void> {
    this.#ctx.log('info', 'handed_over')
    await this.end()
    this.#ctx.notify()
  }

  /** As many consumers as could hold what is there to be held, within the bound. */
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
      log('warn', 'backlog_failed', { error: String(error) }) // the next beat asks again
    }
  }
}
