// Judges how far a request came that failed. Guarantee: `nowhere` means that no server got it.

import { ApiFailure } from '../sdk/client.ts'
import { Failure } from './failure.ts'

/** How far a request came that failed: to no server at all, or perhaps to its end. */
export type Came = 'nowhere' | 'perhaps'

/** No connection was made. Others say so only of the call that failed: a broken network ends connections as well. */
const NOT_SENT = /^(ECONNREFUSED|EAI_AGAIN|ENOTFOUND|UND_ERR_CONNECT_TIMEOUT)$/
const CONNECTING = /^(connect|getaddrinfo)$/
/** A handshake that failed. Other errors of TLS may come after it, such as a server's alert. */
const NOT_TRUSTED = /^(?!ERR_SSL_).*(CERT|ISSUER|VERIFY|ALTNAME|EXPIRED|NOT_YET_VALID)/
/** A wrong name or certificate, unless the server has answered before. */
const FOR_PEOPLE = /^ENOTFOUND$|CERT|ISSUER|VERIFY|ALTNAME|EXPIRED|NOT_YET_VALID|SSL|EPROTO/
/** They answer 503 only if they have no server to pass a request on to. */
const PASSED_NOTHING_ON = ['HAProxy', 'Traefik']
const PASSING = ['proxy_unavailable', 'store_unreachable', 'broken_answer']
/** What passes as well, and need not: asked again only where that changes nothing. */
const PASSING_FOR_READS = ['internal', 'store_full']

/** Undefined if waiting does not help. */
export function cameTo(
  error: unknown,
  { hasAnswered, isRead }: { hasAnswered: boolean; isRead: boolean },
): Came | undefined {
  if (error instanceof Failure && error.code === 'unreachable') {
    if ((error.cause as Error | undefined)?.name === 'AbortError') return undefined
    const reasons = innermost(error)
    if (!hasAnswered && reasons.some(({ code }) => FOR_PEOPLE.test(code))) return undefined
    if (isRefusedByFetch(error)) return undefined
    return reasons.every(isNotSent) ? 'nowhere' : 'perhaps'
  }
  if (!(error instanceof ApiFailure)) return undefined
  const { code, status, answered_by = '' } = error
  if (code === 'proxy_rate_limited') return 'nowhere'
  if (isRead && PASSING_FOR_READS.includes(code)) return 'perhaps'
  if (!PASSING.includes(code)) return undefined
  return status === 503 && PASSED_NOTHING_ON.includes(answered_by) ? 'nowhere' : 'perhaps'
}

/** Whether Assay wrote this error itself. */
export const hasAnswered = (error: unknown): boolean =>
  error instanceof ApiFailure && error.answered_by === undefined

/** Whether nothing listens at an address of this machine. */
export const isRefusedHere = (error: unknown): boolean =>
  innermost(error).every(({ code, address }) => code === 'ECONNREFUSED' && /^(127\.|::1$)/.test(address))

/** Of a port that belongs to another protocol nothing is ever asked. */
function isRefusedByFetch(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each.message === 'bad port') return true
  return false
}

interface Reason {
  code: string
  /** The call of the system that failed. */
  syscall: string
  address: string
}

const isNotSent = ({ code, syscall }: Reason) =>
  NOT_SENT.test(code) || CONNECTING.test(syscall) || NOT_TRUSTED.test(code)

/** The reasons behind an error: several where each address of a name was tried. */
function innermost(error: unknown): Reason[] {
  let one: unknown
  for (let each = error; each instanceof Error; each = each.cause) if ('code' in each) one = each
  if (one instanceof AggregateError && one.errors.length > 0) return one.errors.flatMap(innermost)
  const { code, syscall, address } = (one ?? {}) as Partial<Record<keyof Reason, unknown>>
  return [{ code: textOf(code), syscall: textOf(syscall), address: textOf(address) }]
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
