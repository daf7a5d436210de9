// Repeats a request while the server, a proxy before it or a store is away, for all commands. Guarantee: for at most
// RETRIED_MS; what may have been carried out is repeated only if doing it twice changes no more than doing it once; one
// note says that the server is away, and one that it is back. An error says if an earlier try may have been carried out.

import { setTimeout as delay } from 'node:timers/promises'
import { ApiFailure, type Client } from '../sdk/client.ts'
import { asFailure } from './api.ts'
import { EXIT, Failure } from './failure.ts'
import { untilInterrupted } from './interrupt.ts'
import type { Output } from './output.ts'
import { type Came, cameTo, hasAnswered, isRefusedHere } from './reached.ts'

export const RETRIED_MS = 120_000
/** Where nothing listens on this machine, it is not restarting for long: most often it was never started. */
export const RETRIED_HERE_MS = 10_000
const PAUSES_S = [1, 1, 2, 3, 5]

/** The failure of a change that may have been carried out. */
export class PerhapsDone extends Failure {
  readonly #failure: Failure

  constructor(failure: Failure, advice = 'look before you repeat it', next = failure.next) {
    const { exit, code, message, hint } = failure
    const doubt = `it may have been carried out all the same: ${advice}`
    super(exit, code, message, { hint: hint === undefined ? doubt : `${hint}; ${doubt}`, next })
    this.#failure = failure
  }

  advising(advice: string, next?: string): PerhapsDone {
    return new PerhapsDone(this.#failure, advice, next)
  }
}

type Ask<T> = (signal?: AbortSignal) => Promise<T>
type Wait = (seconds: number, signal: AbortSignal) => Promise<unknown>

export interface Repeating {
  mayRetry(came: Came): boolean
  /** It changes nothing, so it can be asked again after any fault of the server. */
  isRead?: boolean
}

const wait: Wait = (seconds, signal) => delay(seconds * 1000, undefined, { signal })

export class Retrying {
  readonly #output: Pick<Output, 'note'>
  readonly #now: () => number
  readonly #wait: Wait
  #stopped = false
  #hasAnswered = false
  #noted = false

  constructor(output: Pick<Output, 'note'>, now: () => number, waits = wait) {
    this.#output = output
    this.#now = now
    this.#wait = waits
  }

  /** From now on nothing is repeated: for what reports outages itself. */
  stop(): void {
    this.#stopped = true
  }

  /** @throws the last error of `ask`, or Failure `interrupted`; PerhapsDone if any try may have been carried out */
  async retry<T>(ask: Ask<T>, how: Repeating): Promise<T> {
    let came: Came
    let failed: unknown
    try {
      return await (how.isRead ? this.#asked(ask) : untilInterrupted(signal => this.#askedFirst(ask, signal)))
    } catch (error) {
      came = this.#judged(error, how, false)
      failed = error
    }
    return untilInterrupted(signal => this.#again(ask, how, { came, failed, signal }))
  }

  /** A change that is interrupted may have been made: the failure says so, and how to look. */
  async #askedFirst<T>(ask: Ask<T>, signal: AbortSignal): Promise<T> {
    try {
      return await this.#asked(ask, signal)
    } catch (error) {
      if (signal.aborted) throw new PerhapsDone(interrupted('the server had not answered yet'))
      throw error
    }
  }

  /** Asks again after the first try has failed. */
  async #again<T>(ask: Ask<T>, how: Repeating, first: Failed): Promise<T> {
    const since_ms = this.#now()
    const { signal } = first
    let { came, failed } = first
    let perhaps = came === 'perhaps'
    for (let tries = 0; ; tries++) {
      const here = !this.#hasAnswered && isRefusedHere(failed)
      const left_ms = (here ? RETRIED_HERE_MS : RETRIED_MS) - (this.#now() - since_ms)
      if (left_ms <= 0) throw withDoubt(failed, perhaps && !how.isRead)
      this.#noteAway(failed, here ? '10 seconds' : '2 minutes')
      const asked_s = failed instanceof ApiFailure ? (failed.retry_after_s ?? 0) : 0
      const pause_s = Math.min(PAUSES_S[tries] ?? PAUSES_S.at(-1)!, left_ms / 1000)
      await this.#wait(Math.max(pause_s, Math.min(asked_s, 30)), signal).catch(() => {})
      if (signal.aborted) throw withDoubt(interrupted(), perhaps && !how.isRead)
      try {
        return await this.#asked(ask, signal)
      } catch (error) {
        if (signal.aborted) throw withDoubt(interrupted(), !how.isRead)
        came = this.#judged(error, how, perhaps)
        perhaps ||= came === 'perhaps'
        failed = error
      }
    }
  }

  async #asked<T>(ask: Ask<T>, signal?: AbortSignal): Promise<T> {
    const answer = await ask(signal)
    this.#answered()
    return answer
  }

  /** How far it came. @throws the error if it must not be asked again */
  #judged(error: unknown, how: Repeating, perhaps: boolean): Came {
    const came = cameTo(error, { hasAnswered: this.#hasAnswered, isRead: how.isRead === true })
    if (hasAnswered(error)) {
      if (came === undefined) this.#answered()
      this.#hasAnswered = true
    }
    if (came === undefined || this.#stopped) throw withDoubt(error, perhaps && !how.isRead)
    if (!how.mayRetry(came)) throw withDoubt(error, perhaps || came === 'perhaps')
    return came
  }

  #answered(): void {
    this.#hasAnswered = true
    if (this.#noted) this.#output.note('the server is back')
    this.#noted = false
  }

  #noteAway(error: unknown, patience: string): void {
    if (this.#noted) return
    this.#noted = true
    const { message, next } = asFailure(error)!
    const start = next === undefined ? '' : ` (if it does not run: ${next})`
    this.#output.note(`${message}${start}; asking again for up to ${patience}`)
  }
}

interface Failed {
  came: Came
  failed: unknown
  signal: AbortSignal
}

const interrupted = (message = 'the server was still away') =>
  new Failure(EXIT.interrupted, 'interrupted', message)

function withDoubt(error: unknown, perhaps: boolean): unknown {
  const failure = asFailure(error)
  return perhaps && failure !== undefined ? new PerhapsDone(failure) : error
}

/** Changes of these are made once, however often they are sent; so are a start with a key and a dry run. */
const RETRYABLE = [
  '/v1/agents/{agentId}/deployments',
  '/v1/schedules/{scheduleId}/enable',
  '/v1/schedules/{scheduleId}/disable',
  '/v1/sources/preview',
]
const METHODS = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'] as const

interface Body {
  idempotency_key?: string
  dry_run?: boolean
  declaration?: { triggers?: readonly object[] }
}

function isRetryable(method: (typeof METHODS)[number], path: string, init?: { body?: object }): boolean {
  if (method === 'DELETE') return false // the second time there is nothing to delete, which would look like a failure
  const { idempotency_key, dry_run, declaration }: Body = init?.body ?? {}
  if (method !== 'POST' || idempotency_key !== undefined || dry_run === true) return true
  // The secret of a trigger that a deploy makes is in its first answer alone.
  return RETRYABLE.includes(path) && (declaration?.triggers ?? []).length === 0
}

/**
 * A client whose requests are repeated. Two are sent once: `submitLines`, whose lines may not come again, and `runEvents`,
 * which its reader opens again anyway.
 */
export function retried(client: Client, retrying: Retrying): Client {
  type Init = { body?: object; signal?: AbortSignal | null | undefined }
  type Send = (path: string, init?: Init) => Promise<unknown>
  const methods = METHODS.map(method => {
    const send = client[method] as unknown as Send
    const again: Send = (path, init) =>
      retrying.retry(
        signal => send(path, signal === undefined ? init : { ...init, signal: either(signal, init) }),
        {
          mayRetry: came => came === 'nowhere' || isRetryable(method, path, init),
          isRead: method === 'GET',
        },
      )
    return [method, again] as const
  })
  const results: Client['results'] = (query, own) =>
    retrying.retry(signal => client.results(query, either(signal, { signal: own })), {
      mayRetry: () => true,
      isRead: true,
    })
  return { ...client, ...(Object.fromEntries(methods) as unknown as Client), results }
}

/** Aborts with the retrying, or with the caller's own signal. */
function either(
  signal: AbortSignal | undefined,
  { signal: own }: { signal?: AbortSignal | null | undefined } = {},
) {
  if (signal === undefined || own == null) return signal ?? own ?? undefined
  return AbortSignal.any([signal, own])
}
