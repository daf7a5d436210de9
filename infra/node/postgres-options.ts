// Reads the options of a PostgreSQL session from its URL, as libpq does. Guarantee: a URL that asks for TLS gets it,
// verified as far as it asks, by the CA that belongs to that URL; parameters that the driver cannot honour are refused,
// not ignored.

import type { Duplex } from 'node:stream'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { ExitError } from '../local/exit-error.ts'

export interface PostgresTarget {
  url: string
  /** CA certificates of servers that are asked by TLS, in PEM; Node's own by default. `sslrootcert` of the URL wins. */
  ca?: string | undefined
  /** The setting that the URL is from, for refusals. */
  setting?: 'DATABASE_URL' | 'DATABASE_MIGRATE_URL'
}

type OpenTls = (hostname: string, port: number) => Duplex

const PORT = 5432
export const CERTIFICATE = /-----BEGIN CERTIFICATE-----\s+[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
/** Parameters of libpq that the driver would pass to the server, which does not know them. */
const NOT_KEPT: Record<string, string> = {
  channel_binding: 'the driver binds none; leave it out, and verify the server by sslmode=verify-full',
  ssl: 'say it as sslmode=verify-full',
  sslnegotiation: 'leave it out: TLS begins as PostgreSQL before 17 knows it',
  sslcrl: 'lists of revoked certificates are not read; leave it out',
  sslcert: 'certificates of clients are not supported; leave it out, and sign in by password',
  sslkey: 'certificates of clients are not supported; leave it out, and sign in by password',
}

/**
 * Behind a pooler in transaction mode nothing may be set for a whole session, prepared statements included; there the
 * database's role has the timeout.
 * @throws ExitError when the URL is invalid or asks for the impossible
 */
export function postgresOptions(
  { url: text, ca, setting = 'DATABASE_URL' }: PostgresTarget,
  openTls?: OpenTls,
) {
  const refusal = (what: string) => new ExitError('database_url_unusable', `${setting} ${what}.`)
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw refusal('is no URL of a PostgreSQL: postgres://user:password@host:5432/database is one')
  }
  for (const [name, instead] of Object.entries(NOT_KEPT)) {
    if (url.searchParams.has(name)) throw refusal(`has ${name}: ${instead}`)
  }
  if (openTls !== undefined && url.searchParams.has('sslrootcert'))
    throw refusal('has sslrootcert: here the host verifies, so leave it out, and set store_ca of the values')
  const isPooled = url.searchParams.get('pgbouncer') === 'true'
  const ssl = tlsOf(url, ca, refusal)
  for (const name of ['pgbouncer', 'sslmode', 'sslrootcert']) url.searchParams.delete(name)
  const connection = {
    application_name: 'assay',
    // A process that hangs in a transaction, or loses its network, must not keep its locks.
    ...(isPooled ? {} : { idle_in_transaction_session_timeout: LIMITS.transaction_idle_ms }),
  }
  const session = { url: url.href, prepare: !isPooled, connection }
  if (openTls === undefined || !ssl) return { ...session, ssl }
  return { ...session, ssl: false, socket: () => openTls(url.hostname, Number(url.port || PORT)) }
}

type Refusal = (what: string) => ExitError

function tlsOf(url: URL, given: string | undefined, refusal: Refusal) {
  const mode = modeOf(url, given, refusal)
  if (mode === 'disable') return false
  const ca = caOf(url, mode, given, refusal)
  if (mode === 'require' && ca === undefined) return { rejectUnauthorized: false }
  // For an IP address the driver passes no name to Node, which would then compare with "localhost".
  const comparesName = mode === 'verify-full'
  return {
    ...(ca === undefined ? {} : { ca }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      comparesName ? checkServerIdentity(url.hostname, certificate) : undefined,
  }
}

/**
 * A CA without a word about TLS is refused, since the word was probably forgotten. A pooler next to the process is often
 * asked without TLS, while the CA is that of the PostgreSQL behind it.
 */
function modeOf(url: URL, ca: string | undefined, refusal: Refusal): (typeof MODES)[number] {
  const { searchParams } = url
  const said = searchParams.get('sslmode')
  const mode = MODES.find(known => known === (said ?? 'disable'))
  if (mode === undefined) throw refusal(`says sslmode=${said}: it takes ${MODES.join(', ')}`)
  if (said !== null) return mode
  if (searchParams.has('sslrootcert'))
    throw refusal('has sslrootcert and does not ask for TLS: add sslmode=verify-full')
  if (ca !== undefined && searchParams.get('pgbouncer') !== 'true')
    throw refusal(
      'does not ask for TLS although DATABASE_CA is set: add sslmode=verify-full, or sslmode=disable if this server is asked without TLS',
    )
  return mode
}

/** The CA of this URL: the file that it names, else DATABASE_CA. */
function caOf(url: URL, mode: string, given: string | undefined, refusal: Refusal): string | undefined {
  const path = url.searchParams.get('sslrootcert')
  if (path === null) {
    if (given === undefined || CERTIFICATE.test(given)) return given
    throw new ExitError(
      'setting_invalid',
      'DATABASE_CA holds no certificate in PEM: it takes the text of the file, whose lines are kept; DATABASE_CA_FILE names the file.',
    )
  }
  if (path === 'system') {
    if (mode === 'verify-full') return undefined
    throw refusal(
      `says sslrootcert=system and sslmode=${mode}: with that, libpq takes sslmode=verify-full only`,
    )
  }
  const text = readRoot(path, refusal)
  if (CERTIFICATE.test(text)) return text
  throw refusal(`names ${path} as sslrootcert, which holds no certificate in PEM: name the file of the CA`)
}

function readRoot(path: string, refusal: Refusal): string {
  try {
    // Not imported, since workerd loads this module and has no files.
    return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw refusal(
      `names ${path} as sslrootcert, which cannot be read here (${code}): name a file that is there, or leave sslrootcert out and set DATABASE_CA to its text, or DATABASE_CA_FILE to its place`,
    )
  }
}
