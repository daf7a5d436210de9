// Tells a store that does not answer, or cannot do what is asked now, from one that refuses. Guarantee: `true` says that nothing is wrong with what was
// asked; it does not say that it was not done.

import { sinceMs } from './elapsed.ts'

/** For a connection where there is none, five seconds; and for so long readiness says so. */
const WAITS_MS = [100, 200, 400, 800, 1500, 2000]
/** What took longer than that was waited for, whatever ended it: a pooler's reason is lost where it ends a session. */
const REPEATED_MS = 5000
const TOLD_MS = 10_000

/** Of a node of a cluster, as its coordinator tells it. */
export const NODE_LOST = '08006'
/** In the middle of a transaction, with no code of its own. */
const NODE_BROKE_OFF = /^failure on connection marked as essential/

/** Of the driver, of sockets and name look-ups, and of a PostgreSQL that starts or stops. */
const CODES = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_DESTROYED'],
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ],
  ...['57P01', '57P02', '57P03', '25P03'],
])

/** Deadlines of the driver, for a session and for an answer, and PostgreSQL's own for a statement. */
const TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'QUERY_TIMEOUT', '57014'])

/** PostgreSQL's own, for a server, a database or a role that has no session left. */
const TOO_MANY = new Set(['53300'])
/** Poolers say so in words alone: their code is that of any breach of the protocol. */
const POOLER_IS_FULL = /no more connections allowed|too many clients/
/** Of what they have no session with. A login that is refused is none of it: that is for a person to mend. */
const POOLER_IS_CUT_OFF = /^(?!.*authentication failed)(server login |cannot connect to server)/
/** By deadlines of their own, or in the middle of a statement. */
const POOLER_GAVE_UP = /query_wait_timeout|client_login_timeout|server conn crashed/

/**
 * Of a PostgreSQL that reads and cannot write: its disk is full, or its memory, or it takes no writes at all, as one that is
 * no primary any more does, and one of a provider whose disk is full.
 */
const NO_ROOM = new Set(['53100', '53200', '25006'])

/** Whether the error, or what caused it, is that a store cannot be talked to, or has no room for what it is told. */
export const isUnreachable = (error: unknown): boolean =>
  hasCode(error, CODES) ||
  says(error, POOLER_IS_CUT_OFF) ||
  wasWaitedFor(error) ||
  isFull(error) ||
  isNodeLost(error) ||
  takesNoWrites(error)

/** Whether it is that a node of a cluster does not answer its coordinator, which itself does. */
export const isNodeLost = (error: unknown): boolean =>
  hasCode(error, new Set([NODE_LOST])) || says(error, NODE_BROKE_OFF, 'XX000')

/** Whether it is that PostgreSQL cannot write, though it may read. */
export const takesNoWrites = (error: unknown): boolean => hasCode(error, NO_ROOM)

/** Whether PostgreSQL ended a transaction, which has changed nothing then, since it and another waited for each other. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, new Set(['40P01']))

/** Whether asking again would make a caller wait for the sum of several deadlines. */
const wasWaitedFor = (error: unknown): boolean => hasCode(error, TIMEOUTS) || says(error, POOLER_GAVE_UP)

/** Whether it is that PostgreSQL, or the pooler before it, has no connection to give. */
export const isFull = (error: unknown): boolean => hasCode(error, TOO_MANY) || says(error, POOLER_IS_FULL)

function says(error: unknown, words: RegExp, code = '08P01'): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ((one as { code?: string }).code === code && words.test(one.message)) return true
  }
  return false
}

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if (codes.has((one as { code?: string }).code ?? '')) return true
  return false
}

/**
 * Asks again, once, what changes nothing: the connection may have died long before. What was waited for in vain is not
 * waited for again, or a request would hang for the sum of several deadlines.
 */
export async function onceMore<T>(ask: () => Promise<T>, clock = () => performance.now()): Promise<T> {
  const asked = clock()
  try {
    return await untilGiven(ask)
  } catch (error) {
    if (!isUnreachable(error) || isFull(error) || wasWaitedFor(error)) throw error
    if (clock() - asked > REPEATED_MS) throw error
    return ask()
  }
}

/** Errors that were waited for: who asks around such a wait must not wait for the sum of several. */
const waited = new WeakSet<object>()

/** Waits a bounded time for a connection where there is none to be had; `mayRepeat` says whether nothing was done yet. */
export async function untilGiven<T>(ask: () => Promise<T>, mayRepeat = () => true): Promise<T> {
  for (const wait_ms of [...WAITS_MS, null]) {
    try {
      return await ask()
    } catch (error) {
      if (!isFull(error) || waited.has(error as Error) || !mayRepeat()) throw error
      if (wait_ms === null) {
        waited.add(error as Error)
        throw error
      }
      await new Promise(resolve => setTimeout(resolve, wait_ms))
    }
  }
  throw new Error('the last try has returned or thrown')
}

const troubles = new WeakMap<object, { error: unknown; at_ms: number }>()

/** Notes what a probe, which takes a connection that it kept and writes nothing, does not meet. */
export function noteTrouble(host: object, error: unknown, now_ms: number): void {
  if (isFull(error) || takesNoWrites(error)) troubles.set(host, { error, at_ms: now_ms })
}

/** What a host met lately: what it says of itself is no better than what its callers meet. */
export function troubleOf(host: object, now_ms: number): unknown {
  const met = troubles.get(host)
  return met !== undefined && sinceMs(now_ms, met.at_ms) < TOLD_MS ? met.error : undefined
}

/** Of PostgreSQL. */
export const SAY_FULL =
  'has no connection to give, or the pooler before it has none: lower ASSAY_DATABASE_CONNECTIONS, put a pooler before it, or raise max_connections'
