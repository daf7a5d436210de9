// Sends outgoing messages. Guarantee: a message is tried until its receiver takes it or LIMITS.delivery_tries tries
// have failed, each with the same id and body; another sender takes over from one that dies; and a receiver that hangs
// delays no message to another.

import { writeFor } from '../../accounts/queries/callers.ts'
import { wholeUrl } from '../../accounts/verbs/kept-url.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { signatureHeaders } from '../../kernel/message-signature.ts'
import { SENT_BY_US } from '../../kernel/outside.ts'
import { plainText } from '../../kernel/plain-text.ts'
import * as store from '../queries/deliveries.ts'
import { isMailUrl } from '../rules/formats.ts'
import { putInWords } from './message-bodies.ts'
import { postFile } from './post-file.ts'
import { resultsFile } from './results-file.ts'
import { signingSecretsOf } from './signing-secrets.ts'

/** One sender per connection pool: a long-lived process shares one, an invocation with its own pool has its own. */
const senders = new WeakMap<Context['sql'], Sender>()

/** Sends due messages in the background. Call it after the commit that made them due; any other time is safe too. */
export function deliverSoon(ctx: Context): void {
  void lookFor(ctx)
}

/** Resolves when due messages have been leased, as far as there are slots. */
function lookFor(ctx: Context): Promise<void> {
  const sender = senders.get(ctx.sql) ?? new Sender(ctx)
  senders.set(ctx.sql, sender)
  return sender.wake()
}

/**
 * Chore of the tick: sends what a lost notification, a dead sender or a retry left due, and deletes old messages.
 * Returns how many it deleted.
 */
export async function deliverDue(ctx: Context): Promise<number> {
  await lookFor(ctx) // on the tick's own connection, not next to it: at rest one is enough
  return store.removeOldDeliveries(ctx.sql, LIMITS.deliveries_removed_per_sweep)
}

/**
 * Sends a message again that was delivered or given up, under the same id. Returns since when it is due.
 *
 * @throws ApiError `delivery_pending`
 */
export async function resend(ctx: Context, id: string): Promise<Date> {
  const due_at = await writeFor(ctx, sql => store.resendDelivery(sql, id))
  if (due_at === undefined)
    throw new ApiError(
      'delivery_pending',
      `Delivery ${id} is still being tried.`,
      'Its due_at says when it is tried next.',
    )
  deliverSoon(ctx)
  return due_at
}

/** Starts no more tries, and ends those under way within LIMITS.drain_ms. */
export function stopDelivering(ctx: Context): void {
  senders.get(ctx.sql)?.stop()
}

type Secrets = Awaited<ReturnType<typeof signingSecretsOf>>

/** The receiver's status, and why the message was not delivered; `error` is null if it was. */
interface Try {
  status: number | null
  error: string | null
}

class Sender {
  readonly #ctx: Context
  readonly #stop = new AbortController()
  readonly #inFlight = {
    files: new Set<string>(),
    hosts: new Map<string, number>(),
    projects: new Map<string, number>(),
    accounts: new Map<string, number>(),
  }
  #sending = 0
  #slots: number = LIMITS.deliveries_in_flight
  #looking = false
  #again = false

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Resolves after one poll, or at once if a poll is already running. Never rejects. */
  wake(): Promise<void> {
    this.#again = true
    if (this.#looking) return Promise.resolve()
    return new Promise(resolve => {
      this.#ctx.waitUntil(this.#look(resolve).finally(resolve))
    })
  }

  stop(): void {
    this.#slots = 0
    const abort = () => this.#stop.abort(new Error('The sender was stopped before there was an answer.'))
    AbortSignal.timeout(LIMITS.drain_ms).addEventListener('abort', abort)
  }

  /** Leases due messages until no poll is asked for or no slot is left; every message that frees a slot polls again. */
  async #look(onLooked: () => void): Promise<void> {
    this.#looking = true
    try {
      while (this.#again && this.#sending < this.#slots) {
        this.#again = false
        const slots = this.#slots - this.#sending
        const { sql, mail } = this.#ctx
        const held = await store.claimDeliveries(sql, this.#inFlight, slots, mail !== null)
        if (held.length > 0) await this.#start(held)
        onLooked()
      }
    } finally {
      this.#looking = false
    }
  }

  /** If PostgreSQL goes away in the middle of this, the leases run out and the messages are tried again. */
  async #start(held: readonly store.HeldDelivery[]): Promise<void> {
    await fault('deliver.after_claim')
    await putInWords(
      this.#ctx,
      held.filter(one => one.body === null),
    )
    const secrets = await signingSecretsOf(this.#ctx, [...new Set(held.map(one => one.project_id))])
    for (const one of held) {
      this.#count(one, 1)
      this.#ctx.waitUntil(this.#send(one, secrets))
    }
  }

  #count(held: store.HeldDelivery, n: 1 | -1): void {
    store.countInFlight(this.#inFlight, held, n)
    this.#sending += n
  }

  async #send(held: store.HeldDelivery, secrets: Secrets): Promise<void> {
    const started = this.#ctx.now()
    const { status, error } = await this.#try(held, secrets).catch(thrown => ({
      status: null,
      error: thrown instanceof Error ? thrown.message : String(thrown),
    }))
    await fault('deliver.after_answer')
    try {
      await store.endTry(this.#ctx.sql, held, {
        delivered: error === null,
        status,
        error: error && plainText(error, LIMITS.delivery_error_characters),
        duration_ms: Math.max(0, this.#ctx.now() - started),
        backoff_ms: this.#backoff(held.tries),
      })
    } finally {
      this.#count(held, -1)
      this.wake()
    }
  }

  async #try(held: store.HeldDelivery, secrets: Secrets): Promise<Try> {
    if (held.kind === 'run.results') return this.#tryFile(held, secrets)
    const { id, account_id, project_id } = held
    const url = await wholeUrl(this.#ctx, project_id, held.url)
    const body = held.body!
    const signal = AbortSignal.any([AbortSignal.timeout(LIMITS.delivery_ms), this.#stop.signal])
    if (isMailUrl(url)) {
      const { subject, text, html } = JSON.parse(body)
      await this.#ctx.mail!(
        { to: decodeURIComponent(url.slice('mailto:'.length)), subject, text, html },
        signal,
      )
      return { status: null, error: null }
    }
    const signed = { id, at_s: Math.floor(this.#ctx.now() / 1000), body }
    const headers = {
      'content-type': 'application/json',
      ...SENT_BY_US,
      ...(await signatureHeaders(secrets.get(project_id)!, signed)),
    }
    const { status } = await this.#ctx.post({ url, account_id, headers, body, signal })
    return { status, error: refusal(status) }
  }

  async #tryFile(
    { id, url: stored, account_id, project_id }: store.HeldDelivery,
    secrets: Secrets,
  ): Promise<Try> {
    const url = await wholeUrl(this.#ctx, project_id, stored)
    const late = new AbortController()
    const text = `The file was not read and taken within ${LIMITS.results_file_ms / 60_000} minutes.`
    const timer = setTimeout(() => late.abort(new Error(text)), LIMITS.results_file_ms)
    const signal = AbortSignal.any([late.signal, this.#stop.signal])
    try {
      const at_s = Math.floor(this.#ctx.now() / 1000)
      const file = await resultsFile(this.#ctx, { id, at_s, secrets: secrets.get(project_id)! }, signal)
      const { status } = await postFile(this.#ctx.post, { url, account_id, ...file, signal })
      return { status, error: refusal(status) }
    } finally {
      clearTimeout(timer)
    }
  }

  /** The wait after a try, in ms, with jitter so that messages that failed together are not retried together. */
  #backoff(tries: number): number {
    const { base, factor, jitter } = LIMITS.delivery_backoff_ms
    const byte = new Uint8Array(1)
    this.#ctx.random(byte)
    const plain = base * factor ** ((tries - 1) % LIMITS.delivery_tries)
    return Math.round(plain * (1 + (jitter * byte[0]!) / 255))
  }
}

function refusal(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const redirects = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return `The receiver answered ${status}${redirects}.`
}
