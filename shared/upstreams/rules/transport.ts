// Tells whether a request that threw may have reached the other side. Guarantee: reading the error, whatever it is, does not
// throw; what is not known to have stayed here counts as sent, since it may have been worked on and paid.

/** Codes of Node's sockets, its look-ups of names and undici's connections: nothing was written yet. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  // Of Bun and of Deno, whose fetch has codes of its own.
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** Node's names for what is wrong with a certificate, which a client sees before it sends anything. */
const CERTIFICATE =
  /^(?:CERT_|CRL_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/

/** OpenSSL's errors of the handshake; those without a number in their name, such as of a bad record, may come later. */
const HANDSHAKE =
  /^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|PACKET_LENGTH_TOO_LONG|TLSV1_UNRECOGNIZED_NAME|NO_PROTOCOLS_AVAILABLE|(?:SSLV3|SSL\/TLS)_ALERT_HANDSHAKE_FAILURE|TLSV1_ALERT_PROTOCOL_VERSION))$/

/**
 * In words only: of the egress worker (infra/runtime/egress.ts), of Node's handshakes and of Deno. What the egress worker
 * denies is left out, though it was not sent either: no waiting changes a declaration.
 */
const WORDS =
  /\b(?:no connection to |Client network socket disconnected before secure TLS connection was established|tcp connect error|dns error)/

/** Codes that tell only of a connection that is being made that nothing was sent. */
const CONNECTING = new Set(['ETIMEDOUT', 'ECONNRESET', 'EPIPE'])

/** Errors inside errors that are read; a hostile one may hold itself. */
const READ = 32

/**
 * Whether a request whose fetch, or node:http, threw may have reached the other side. Of an AggregateError, which tells of
 * one address after the other, each must say that nothing was sent.
 */
export function wasSent(error: unknown): boolean {
  return !stayedHere(error, { left: READ })
}

function stayedHere(error: unknown, budget: { left: number }): boolean {
  if (budget.left-- <= 0 || (typeof error !== 'object' && typeof error !== 'function') || error === null)
    return typeof error === 'string' && WORDS.test(error)
  const part = (name: string): unknown => {
    try {
      return (error as Record<string, unknown>)[name]
    } catch {
      return undefined
    }
  }
  const code = part('code')
  const message = part('message')
  if (typeof message === 'string' && WORDS.test(message.slice(0, 2000))) return true
  if (typeof code === 'string' && saysSo(code, part('syscall'))) return true
  const errors = part('errors')
  const cause = part('cause')
  return eachStayed(errors, budget) || (cause !== undefined && stayedHere(cause, budget))
}

function saysSo(code: string, syscall: unknown): boolean {
  if (NOT_CONNECTED.has(code) || CERTIFICATE.test(code) || HANDSHAKE.test(code)) return true
  return CONNECTING.has(code) && syscall === 'connect'
}

function eachStayed(errors: unknown, budget: { left: number }): boolean {
  try {
    if (!Array.isArray(errors) || errors.length === 0 || errors.length > READ) return false
    return errors.every(one => stayedHere(one, budget))
  } catch {
    return false
  }
}
