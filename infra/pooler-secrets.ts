// Prints PgBouncer's settings for the PostgreSQL behind it, one per line, as input for files of secrets. They are
// printed apart because PgBouncer's images split a URL without decoding it and take what follows the `?` as the
// database's name.
// Usage: DATABASE_MIGRATE_URL=… node infra/pooler-secrets.ts, with DATABASE_CA_FILE where a CA of your own signed

import { ExitError, endOf } from './local/exit-error.ts'
import { migrationTarget, readSettings } from './node/settings.ts'

const PORT = '5432'
const TLS = 'prefer' // PgBouncer's default

/**
 * Returns the parts of PostgreSQL's own URL, by the names of their secrets.
 *
 * @param hasCa whether PgBouncer gets a CA: by `require` it would not ask who signed, as libpq does with a CA
 * @throws ExitError where the URL names the CA as a file, which PgBouncer's container does not have
 */
export function poolerSecrets(databaseUrl: string, hasCa = false) {
  const url = new URL(databaseUrl)
  if (url.searchParams.has('sslrootcert'))
    throw new ExitError(
      'database_url_unusable',
      'DATABASE_MIGRATE_URL has sslrootcert, a file that the pooler does not have: leave it out, name the file by DATABASE_CA_FILE, and list DATABASE_CA among the secrets of the values.',
    )
  const mode = url.searchParams.get('sslmode') ?? TLS
  return {
    POOLER_HOST: url.hostname.replace(/^\[|\]$/g, ''), // brackets of an IPv6 address
    POOLER_PORT: url.port || PORT,
    POOLER_USER: decodeURIComponent(url.username),
    POOLER_PASSWORD: decodeURIComponent(url.password),
    POOLER_DATABASE: decodeURIComponent(url.pathname.slice(1)),
    POOLER_TLS: hasCa && mode === 'require' ? 'verify-ca' : mode,
  }
}
export type PoolerSecret = keyof ReturnType<typeof poolerSecrets>

function main(): void {
  const settings = readSettings(process.env)
  settings.need('DATABASE_MIGRATE_URL')
  const { url, ca } = migrationTarget(settings)
  for (const [name, text] of Object.entries(poolerSecrets(url, ca !== undefined)))
    console.log(`${name}=${text}`)
}

if (import.meta.main) {
  try {
    main()
  } catch (error) {
    const { line, code } = endOf(error)
    console.error(line)
    process.exitCode = code
  }
}
