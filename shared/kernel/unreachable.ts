// Distinguishes a store that does not answer, or cannot serve the request now, from one that refuses it. Guarantee:
// `true` means that nothing is wrong with the request; it does not mean that the request was not carried out.

import { sinceMs } from './elapsed.ts'

/** Waits for a connection when none is free: five seconds together. Readiness reports the shortage for REPORTED_MS. */
const WAITS_MS = [100, 200, 400, 800, 1500, 2000]
/** A read that failed later is not repeated, whatever the error: a pooler that ends a session loses the reason. */
const REPEATED_MS = 5000
const REPORTED_MS = 10_000

/** Codes of the driver, of sockets and name look-ups, and of a PostgreSQL that is starting or stopping. */
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
/** connection_failure: the coordinator of a cluster reports it of another node. */
const NODE_FAILED = new Set(['08006'])
/** The same in the middle of a transaction, where the error has no code of its own. */
const NODE_BROKE_OFF = /^failure on connection marked as essential/

/** Deadlines of the driver, for a session and for an answer, and PostgreSQL's own for a statement. */
const TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'QUERY_TIMEOUT', '57014'])

/** PostgreSQL's code when a server, a database or a role has no session left. */
const TOO_MANY = new Set(['53300'])
/** Poolers report this in words only: their code is the one for any protocol violation. */
const POOLER_IS_FULL = /no more connections allowed|too many clients/
/** A pooler that has no session with PostgreSQL. A refused login does not count: a person has to fix that. */
const POOLER_IS_CUT_OFF = /^(?!.*authentication failed)(server login |cannot connect to server)/
/** A pooler that gave up by its own deadline, or whose server connection broke in the middle of a statement. */
const POOLER_GAVE_UP = /query_wait_timeout|client_login_timeout|server conn crashed/

/**
 * Codes of a PostgreSQL that reads and cannot write: its disk or memory is full, or it takes no writes at all, like a
 * former primary or a provider's server whose disk is full.
 */
const NO_WRITES = new Set(['53100', '53200', '25006'])
/** A full disk, where PostgreSQL has no code for what the system said, such as a quota of the file system. */
const DISK_IS_FULL = /No space left on device|Disk quota exceeded/

/** Whether the error, or a cause of it, says that a store cannot be reached or cannot take what it is given. */
export const isUnreachable = (error: unknown): boolean =>
  hasCode(error, CODES) ||
  says(error, POOLER_IS_CUT_OFF) ||
  wasWaitedFor(error) ||
  isOfOtherNode(error) ||
  isFull(error) ||
  takesNoWrites(error)

/** Whether another node of a cluster failed, or did not get a lock in time: its coordinator reports both in this way. */
export const isOfOtherNode = (error: unknown): boolean =>
  hasCode(error, NODE_FAILED) || says(error, NODE_BROKE_OFF, 'XX000')

/** Whether PostgreSQL cannot write, though it may read. */
export const takesNoWrites = (error: unknown): boolean => hasCode(error, NO_WRITES) || hasFullDisk(error)

/** Whether PostgreSQL refused a write because its disk is full; it has written nothing of that transaction then. */
export const hasFullDisk = (error: unknown): boolean =>
  hasCode(error, new Set(['53100'])) || ['XX000', '58030'].some(code => says(error, DISK_IS_FULL, code))

/** Whether PostgreSQL ended a transaction in a deadlock; it has changed nothing then. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, new Set(['40P01']))

/** Whether a deadline passed, so that another try would make a caller wait for the sum of several deadlines. */
export const wasWaitedFor = (error: unknown): boolean =>
  hasCode(error, TIMEOUTS) || says(error, POOLER_GAVE_UP)

/** Whether PostgreSQL, or the pooler in front of it, has no connection left. */
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
 * Repeats a read once, since the connection may have died long before. After a deadline or a long wait nothing is
 * repeated: a request would hang for the sum of several deadlines.
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

/** Errors whose wait is over: an outer untilGiven must not wait for the same error again. */
const waited = new WeakSet<object>()

/** Retries for up to five seconds while no connection is free. `mayRepeat` says whether nothing was done yet. */
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

/** Records errors that a readiness probe would miss, since it uses a connection it has kept and writes nothing. */
export function noteTrouble(host: object, error: unknown, now_ms: number): void {
  if (isFull(error) || takesNoWrites(error)) troubles.set(host, { error, at_ms: now_ms })
}

/** The host's error of the last REPORTED_MS, so that readiness reports no better state than callers meet. */
export function troubleOf(host: object, now_ms: number): unknown {
  const met = troubles.get(host)
  return met !== undefined && sinceMs(now_ms, met.at_ms) < REPORTED_MS ? met.error : undefined
}

/** The reason readiness gives when PostgreSQL has no connection left. */
export const SAY_FULL =
  'has no free connection, or the pooler in front of it has none: lower ASSAY_DATABASE_CONNECTIONS, put a pooler in front of it, or raise max_connections'
