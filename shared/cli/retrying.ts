// Repeats a request while the server, a proxy before it or a store is away, for all commands. Guarantee: for at most
// RETRIED_MS; what may have been carried out is repeated only if doing it twice changes no more than doing it once; one
// note says that the server is away, and one that it is back.

import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../kernel/store-errors.ts'
import { ApiFailure, type Client } from '../sdk/client.ts'
import { asFailure } from './api.ts'
import { EXIT, Failure } from './failure.ts'
import { interruption } from './interrupt.ts'
import type { Output } from './output.ts'

export const RETRIED_MS = 120_000
const PAUSES_S = [1, 1, 2, 3, 5]

/** How far a request came that failed: to no server at all, or perhaps to its end. */
export type Came = 'nowhere' | 'perhaps'

/** No connection was made. */
const NOT_SENT =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|UND_ERR_CONNECT_TIMEOUT)$/
/** A wrong name or certificate, unless the server has answered before. */
const FOR_PEOPLE = /^ENOTFOUND$|CERT|ISSUER|VERIFY|ALTNAME|EXPIRED|NOT_YET_VALID|SSL|EPROTO/
/** They answer 503 only if they have no server to pass a request on to. */
const PASSED_NOTHING_ON = ['HAProxy', 'Traefik']
const PASSING = ['proxy_unavailable', 'store_unreachable', 'broken_answer']

/** Undefined if waiting does not help. */
function cameTo(error: unknown, hasAnswered: boolean): Came | undefined {
  if (error instanceof Failure && error.code === 'unreachable') {
    const code = codeOf(error)
    if ((error.cause as Error | undefined)?.name === 'AbortError') return undefined
    if (!hasAnswered && FOR_PEOPLE.test(code)) return undefined
    return NOT_SENT.test(code) || FOR_PEOPLE.test(code) ? 'nowhere' : 'perhaps'
  }
  if (!(error instanceof ApiFailure)) return undefined
  const { code, status, answered_by = '' } = error
  if (code === 'proxy_rate_limited') return 'nowhere'
  if (!PASSING.includes(code)) return undefined
  return status === 503 && PASSED_NOTHING_ON.includes(answered_by) ? 'nowhere' : 'perhaps'
}

const wait = (seconds: number) => delay(seconds * 1000, undefined, { signal: interruption() })

export class Retrying {
  readonly #output: Pick<Output, 'note'>
  readonly #now: () => number
  readonly #wait: (seconds: number) => Promise<unknown>
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

  /** @throws the last error of `ask`, which says if it may have been carried out; Failure `interrupted` */
  async retry<T>(ask: () => Promise<T>, mayRetry: (came: Came) => boolean): Promise<T> {
    const began = this.#now()
    for (let tries = 0; ; tries++) {
      try {
        const answer = await ask()
        this.#answered()
        return answer
      } catch (error) {
        const came = cameTo(error, this.#hasAnswered)
        if (came === undefined && error instanceof ApiFailure && error.answered_by === undefined)
          this.#answered()
        if (came === undefined || this.#stopped) throw error
        if (!mayRetry(came)) throw withDoubt(error, came)
        if (this.#now() - began >= RETRIED_MS) throw error
        this.#noteAway(error)
        const asked_s = error instanceof ApiFailure ? (error.retry_after_s ?? 0) : 0
        await this.#wait(Math.max(PAUSES_S[tries] ?? PAUSES_S.at(-1)!, Math.min(asked_s, 30))).catch(() => {
          throw new Failure(EXIT.interrupted, 'interrupted', 'the server was still away')
        })
      }
    }
  }

  #answered(): void {
    this.#hasAnswered = true
    if (this.#noted) this.#output.note('the server is back')
    this.#noted = false
  }

  #noteAway(error: unknown): void {
    if (this.#noted) return
    this.#noted = true
    const { message, next } = asFailure(error)!
    const start = next === undefined ? '' : ` (if it does not run: ${next})`
    this.#output.note(`${message}${start}; asking again for up to ${RETRIED_MS / 60_000} minutes`)
  }
}

/** The failure to report of a request that was sent, and must not be sent twice. */
function withDoubt(error: unknown, came: Came): unknown {
  const failure = asFailure(error)
  if (came === 'nowhere' || failure === undefined) return error
  const { exit, code, message, hint, next } = failure
  const doubt = 'it may have been carried out all the same: look before you repeat it'
  return new Failure(exit, code, message, { hint: hint === undefined ? doubt : `${hint}; ${doubt}`, next })
}

/** Changes of these are made once, however often they are sent; so are a start with a key and a dry run. */
const RETRYABLE = [
  '/v1/agents/{agentId}/deployments',
  '/v1/schedules/{scheduleId}/enable',
  '/v1/schedules/{scheduleId}/disable',
  '/v1/sources/preview',
]
const METHODS = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'] as const

function isRetryable(method: (typeof METHODS)[number], path: string, init?: { body?: object }): boolean {
  if (method === 'DELETE') return false // the second time there is nothing to delete, which would look like a failure
  const { idempotency_key, dry_run } = (init?.body ?? {}) as { idempotency_key?: string; dry_run?: boolean }
  return method !== 'POST' || RETRYABLE.includes(path) || idempotency_key !== undefined || dry_run === true
}

/**
 * A client whose requests are repeated. Two are sent once: `submitLines`, whose lines may not come again, and `runEvents`,
 * which its reader opens again anyway.
 */
export function retried(client: Client, retrying: Retrying): Client {
  type Send = (path: string, init?: { body?: object }) => Promise<unknown>
  const methods = METHODS.map(method => {
    const send = client[method] as unknown as Send
    const again: Send = (path, init) =>
      retrying.retry(
        () => send(path, init),
        came => came === 'nowhere' || isRetryable(method, path, init),
      )
    return [method, again] as const
  })
  const results: Client['results'] = (...query) =>
    retrying.retry(
      () => client.results(...query),
      () => true,
    )
  return { ...client, ...(Object.fromEntries(methods) as unknown as Client), results }
}
