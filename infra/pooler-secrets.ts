// Prints what a PgBouncer is told of the PostgreSQL behind it, a line each, as files of secrets are made from. Its images
// take a URL apart without decoding it, and what stands behind the `?` for the database's name.
// Usage: DATABASE_MIGRATE_URL=… node infra/pooler-secrets.ts

import { readSettings } from './node/settings.ts'

const PORT = '5432'
const TLS = 'prefer' // as PgBouncer does where nobody says

/** The parts of PostgreSQL's own URL, by the names that their secrets have. */
export function poolerSecrets(databaseUrl: string) {
  const url = new URL(databaseUrl)
  return {
    POOLER_HOST: url.hostname.replace(/^\[|\]$/g, ''), // of an IPv6 address
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
