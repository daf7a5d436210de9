// Reads the options of a PostgreSQL session from its URL, as libpq does. Guarantee: a URL that asks for TLS gets it,
// verified as far as it asks; parameters that the driver cannot honour are refused, not ignored.

import type { Duplex } from 'node:stream'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { ExitError } from '../local/exit-error.ts'

export interface PostgresTarget {
  url: string
  /** The server's CA certificates, in PEM; Node's own by default. */
  ca?: string | undefined
}

type OpenTls = (hostname: string, port: number) => Duplex

const PORT = 5432
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
/** Parameters of libpq that the driver would pass to the server, which does not know them. */
const NOT_KEPT: Record<string, string> = {
  channel_binding: 'the driver binds none; leave it out, and verify the server by sslmode=verify-full',
  sslrootcert: 'leave it out, and name the file by DATABASE_CA_FILE',
  sslcert: 'certificates of clients are not supported; leave it out, and sign in by password',
  sslkey: 'certificates of clients are not supported; leave it out, and sign in by password',
}

/**
 * Behind a pooler in transaction mode nothing may be set for a whole session, prepared statements included; there the
 * database's role has the timeout.
 * @throws ExitError when the URL is invalid or asks for the impossible
 */
export function postgresOptions({ url: text, ca }: PostgresTarget, openTls?: OpenTls) {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw refusal('is no URL of a PostgreSQL: postgres://user:password@host:5432/database is one')
  }
  for (const [name, instead] of Object.entries(NOT_KEPT)) {
    if (url.searchParams.has(name)) throw refusal(`has ${name}: ${instead}`)
  }
  const isPooled = url.searchParams.get('pgbouncer') === 'true'
  const ssl = tlsOf(url, ca)
  for (const name of ['pgbouncer', 'sslmode']) url.searchParams.delete(name)
  const connection = {
    application_name: 'assay',
    // A process that hangs in a transaction, or loses its network, must not keep its locks.
    ...(isPooled ? {} : { idle_in_transaction_session_timeout: LIMITS.transaction_idle_ms }),
  }
  const session = { url: url.href, prepare: !isPooled, connection }
  if (openTls === undefined || !ssl) return { ...session, ssl }
  return { ...session, ssl: false, socket: () => openTls(url.hostname, Number(url.port || PORT)) }
}

function tlsOf(url: URL, ca: string | undefined) {
  const mode = url.searchParams.get('sslmode') ?? 'disable'
  if (!MODES.some(known => known === mode)) {
    throw refusal(`says sslmode=${mode}: it takes ${MODES.join(', ')}`)
  }
  if (mode === 'disable') {
    if (ca === undefined) return false
    throw refusal(
      'does not ask for TLS although DATABASE_CA is set: add sslmode=verify-full, or unset DATABASE_CA',
    )
  }
  if (mode === 'require' && ca === undefined) return { rejectUnauthorized: false }
  // For an IP address the driver passes no name to Node, which would then compare with "localhost".
  const comparesName = mode === 'verify-full'
  return {
    ...(ca === undefined ? {} : { ca }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      comparesName ? checkServerIdentity(url.hostname, certificate) : undefined,
  }
}

const refusal = (what: string) => new ExitError('database_url_unusable', `DATABASE_URL ${what}.`)
