// What a session of PostgreSQL is opened with, read from its URL as libpq reads it. Guarantee: a URL that asks for TLS
// gets it, verified as far as it asks; what the driver could not keep is refused instead of left out.

import type { Duplex } from 'node:stream'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { ExitError } from '../local/exit-error.ts'

export interface PostgresTarget {
  url: string
  /** Certificates of who signed the server's, in PEM; those that Node knows unless given. */
  ca?: string | undefined
}

type OpenTls = (hostname: string, port: number) => Duplex

const PORT = 5432
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
/** Parameters of libpq that the driver would send to the server, which knows none of them. */
const NOT_KEPT: Record<string, string> = {
  channel_binding: 'the driver binds none; leave it out, and verify the server by sslmode=verify-full',
  sslrootcert: 'leave it out, and name the file by DATABASE_CA_FILE',
  sslcert: 'certificates of clients are not supported; leave it out, and sign in by password',
  sslkey: 'certificates of clients are not supported; leave it out, and sign in by password',
}

/**
 * Behind a pooler in transaction mode nothing may be said to a session that is meant to last, prepared statements
 * included; there the database's role carries the timeout. @throws ExitError when the URL says what cannot be
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
    // A process that hangs, or whose network does, in the middle of a transaction must not keep its locks.
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
  // The driver tells Node no name where the host is an address, which then compares with "localhost".
  const comparesName = mode === 'verify-full'
  return {
    ...(ca === undefined ? {} : { ca }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      comparesName ? checkServerIdentity(url.hostname, certificate) : undefined,
  }
}

const refusal = (what: string) => new ExitError('database_url_unusable', `DATABASE_URL ${what}.`)
