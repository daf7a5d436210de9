// Tells a store that does not answer from one that refuses. Guarantee: `true` says that nothing is wrong with what was
// asked; it does not say that it was not done.

/** Of the driver, of sockets and name look-ups, and of a PostgreSQL that starts, stops or has no session to give. */
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
  ...['57P01', '57P02', '57P03', '53300', '25P03'],
])

/** Deadlines of the driver, for a session and for an answer. */
const TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'QUERY_TIMEOUT'])

/** Whether the error, or what caused it, is that a store cannot be talked to. */
export const isUnreachable = (error: unknown): boolean => hasCode(error, CODES) || hasCode(error, TIMEOUTS)

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if (codes.has((one as { code?: string }).code ?? '')) return true
  return false
}

/**
 * Asks again, once, what changes nothing: the connection may have died long before. What was waited for in vain is not
 * waited for again, or a request would hang for the sum of several deadlines.
 */
export async function onceMore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isUnreachable(error) || hasCode(error, TIMEOUTS)) throw error
    return ask()
  }
}
