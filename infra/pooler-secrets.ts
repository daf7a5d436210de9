// Prints PgBouncer's settings for the PostgreSQL behind it, one per line, as input for files of secrets. They are
// printed apart because PgBouncer's images split a URL without decoding it and take what follows the `?` as the
// database's name.
// Usage: DATABASE_MIGRATE_URL=… node infra/pooler-secrets.ts

import { readSettings } from './node/settings.ts'

const PORT = '5432'
const TLS = 'prefer' // PgBouncer's default

/** Returns the parts of PostgreSQL's own URL, by the names of their secrets. */
export function poolerSecrets(databaseUrl: string) {
  const url = new URL(databaseUrl)
  return {
    POOLER_HOST: url.hostname.replace(/^\[|\]$/g, ''), // brackets of an IPv6 address
    POOLER_PORT: url.port || PORT,
    POOLER_USER: decodeURIComponent(url.username),
    POOLER_PASSWORD: decodeURIComponent(url.password),
    POOLER_DATABASE: decodeURIComponent(url.pathname.slice(1)),
    POOLER_TLS: url.searchParams.get('sslmode') ?? TLS,
  }
}
export type PoolerSecret = keyof ReturnType<typeof poolerSecrets>

if (import.meta.main) {
  const parts = poolerSecrets(readSettings(process.env).need('DATABASE_MIGRATE_URL'))
  for (const [name, text] of Object.entries(parts)) console.log(`${name}=${text}`)
}
