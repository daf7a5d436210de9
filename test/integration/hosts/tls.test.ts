// PostgreSQL and Redis as providers offer them: over TLS only, with certificates of a CA unknown to the machine.

import { chmod, copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migrate } from '../../../infra/migrate.ts'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { postgresOptions } from '../../../infra/node/postgres-options.ts'
import { openRedis } from '../../../infra/node/redis.ts'
import * as redisClient from '../../../infra/node/redis-client.ts'
import { migrationTarget, readSettings } from '../../../infra/node/settings.ts'
import { reserveCall } from '../../../shared/redis/consumer-presence.ts'
import { type Authority, makeAuthority } from '../../support/certificates.ts'
import { eventually } from '../../support/eventually.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { PASSWORD, startRedisCluster, startTlsRedis } from '../../support/redis-servers.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startTlsPostgres, type TlsPostgres } from '../../support/tls-postgres.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let authority: Authority
let stranger: Authority
let database: TlsPostgres

beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  authority = await makeAuthority(folder.path, 'authority')
  stranger = await makeAuthority(folder.path, 'stranger')
  const files = await authority.issue('postgres', 'DNS:localhost,DNS:db.internal')
  database = parts.adopt(await startTlsPostgres(files), one => one.close())
})

/** A copy for PgBouncer, which works as another user. */
async function readable(file: string): Promise<string> {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  await chmod(folder.path, 0o755)
  const copy = join(folder.path, basename(file))
  await copyFile(file, copy)
  await chmod(copy, 0o644)
  return copy
}

/** The URL of the server, by its name or its address, with an sslmode. */
function url(host: string, mode?: string): string {
  const at = new URL(database.url)
  at.hostname = host
  if (mode) at.searchParams.set('sslmode', mode)
  return at.href
}

async function isEncrypted(databaseUrl: string, databaseCa?: string): Promise<boolean> {
  const connections = openConnections({ databaseUrl, databaseCa, redisUrl: 'redis://127.0.0.1:1' })
  const session = await connections.sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.finally(
    () => connections.close(),
  )
  return session[0]!.ssl
}

it('PostgreSQL is reached over TLS, verified as far as sslmode requires', async () => {
  await migrate(url('localhost', 'verify-full'), authority.ca)
  expect(await isEncrypted(url('localhost', 'verify-full'), authority.ca)).toBe(true)
  expect(await isEncrypted(url('127.0.0.1', 'verify-ca'), authority.ca)).toBe(true)
  expect(await isEncrypted(url('127.0.0.1', 'require'))).toBe(true)
})

it.for([
  ['a CA that no setting names', () => migrate(url('localhost', 'verify-full')), /DATABASE_CA_FILE/],
  ['another CA', () => migrate(url('localhost', 'verify-full'), stranger.ca), /DATABASE_CA_FILE/],
  [
    'another CA, if the URL requires only encryption',
    () => migrate(url('localhost', 'require'), stranger.ca),
    /DATABASE_CA_FILE/,
  ],
  [
    'another name',
    () => migrate(url('127.0.0.1', 'verify-full'), authority.ca),
    /DATABASE_URL must name the server/,
  ],
] as const)('a certificate of %s is refused, with advice what to do', async ([, ask, says]) => {
  await expect(ask()).rejects.toMatchObject({
    code: 'postgres_not_trusted',
    message: expect.stringMatching(says),
  })
})

it.skipIf(onCluster('Citus switches TLS on'))(
  'a PostgreSQL without TLS is refused if the URL asks for TLS',
  async () => {
    await expect(migrate(`${inject('stores').databaseUrl}?sslmode=require`)).rejects.toThrow(
      /takes no TLS there/,
    )
  },
)

it.for([
  [{ databaseUrl: 'postgres://h/d?sslmode=prefer' }, 'says sslmode=prefer'],
  [{ databaseUrl: 'postgres://h/d?sslmode=allow' }, 'disable, require, verify-ca, verify-full'],
  [{ databaseUrl: 'postgres://h/d?ssl=true' }, 'sslmode=verify-full'],
  [{ databaseUrl: 'postgres://h/d?sslrootcert=/no/ca.pem&sslmode=require' }, 'DATABASE_CA_FILE'],
  [{ databaseUrl: 'postgres://h/d?sslrootcert=/etc/hostname&sslmode=require' }, 'holds no certificate'],
  [{ databaseUrl: 'postgres://h/d?sslrootcert=/no/ca.pem' }, 'does not ask for TLS: add sslmode=verify-full'],
  [{ databaseUrl: 'postgres://h/d?sslrootcert=system&sslmode=require' }, 'takes sslmode=verify-full only'],
  [{ databaseUrl: 'postgres://h/d?channel_binding=require' }, 'channel_binding'],
  [{ databaseUrl: 'postgres://h/d', databaseCa: 'x' }, 'add sslmode=verify-full'],
  [{ databaseUrl: 'postgres://h/d?sslmode=verify-full', databaseCa: '/etc/ca.pem' }, 'DATABASE_CA_FILE'],
  [{ databaseUrl: 'h:5432' }, 'is no URL of a PostgreSQL'],
  [{ redisUrl: 'redis://h', redisCa: 'x' }, 'begin it with rediss://'],
  [{ redisUrl: 'rediss://h', redisCa: '/etc/ca.pem' }, 'REDIS_CA_FILE'],
  [{ redisUrl: 'redis://a,b/3' }, 'database 0'],
  [{ redisUrl: 'redis://a?cluster=yes' }, 'takes cluster=true'],
  [{ redisUrl: 'https://eu1-x.upstash.io' }, 'is no URL of a Redis'],
] as const)('%j is refused before anything connects', ([given, says]) => {
  const urls = { databaseUrl: 'postgres://h/d', redisUrl: 'redis://h' }
  expect(() => openConnections({ ...urls, ...given })).toThrow(says)
})

it.for([
  'postgres://pooler/d?pgbouncer=true', // next to the process, before a PostgreSQL whose CA the setting names
  'postgres://h/d?sslmode=disable',
  'postgres://h/d?sslmode=disable&sslrootcert=/no/ca.pem',
])('%s is asked without TLS though DATABASE_CA is set', url => {
  expect(postgresOptions({ url, ca: authority.ca }).ssl).toBe(false)
})

it('a URL is verified by the CA that it names before DATABASE_CA, and by that of the machine where it says system', () => {
  const caOf = (parameters: string, ca?: string) => {
    const { ssl } = postgresOptions({ url: `postgres://h/d?sslmode=verify-full${parameters}`, ca })
    return (ssl as { ca?: string }).ca
  }
  expect(caOf('')).toBeUndefined()
  expect(caOf('', authority.ca)).toBe(authority.ca)
  expect(caOf(`&sslrootcert=${stranger.file}`, authority.ca)).toBe(stranger.ca)
  expect(caOf('&sslrootcert=system', authority.ca)).toBeUndefined()
})

it('DATABASE_CA may hold the CAs of a pooler and of PostgreSQL together', async () => {
  expect(await isEncrypted(url('localhost', 'verify-full'), stranger.ca + authority.ca)).toBe(true)
})

it('a migration names the URL that it cannot use', () => {
  const settings = (env: Record<string, string>) => () => migrationTarget(readSettings(env))
  const pooled = 'postgres://pooler/d?pgbouncer=true'
  const direct = 'postgres://h/d'
  expect(settings({ DATABASE_URL: pooled, DATABASE_MIGRATE_URL: direct, DATABASE_CA: authority.ca })).toThrow(
    'DATABASE_MIGRATE_URL does not ask for TLS',
  )
  expect(settings({ DATABASE_URL: `${direct}?sslmode=prefer` })).toThrow('DATABASE_URL says sslmode=prefer')
})

describe.runIf(hasPgBouncer)('with PgBouncer, which is not on every machine', () => {
  it('one DATABASE_CA serves PostgreSQL by TLS and a pooler before it without', async () => {
    const pooler = parts.adopt(
      await startPgBouncer(url('localhost'), 2, {
        server_tls_sslmode: 'verify-full',
        server_tls_ca_file: await readable(authority.file),
      }),
      one => one.close(),
    )
    await migrate(url('localhost', 'verify-full'), authority.ca)
    const pooled = pooler.through(url('127.0.0.1'))
    expect(await isEncrypted(pooled, authority.ca)).toBe(true) // the session of the pooler
    await expect(migrate(pooled, authority.ca)).resolves.toBeUndefined()
  })

  it('a pooler and PostgreSQL with CAs of their own are each verified by the one that its URL names', async () => {
    const { cert, key } = await stranger.issue('pooler', 'DNS:localhost')
    const pooler = parts.adopt(
      await startPgBouncer(url('localhost'), 2, {
        server_tls_sslmode: 'require',
        client_tls_sslmode: 'require',
        client_tls_cert_file: await readable(cert),
        client_tls_key_file: await readable(key),
      }),
      one => one.close(),
    )
    const pooled = (file: string) => {
      const at = new URL(pooler.through(url('localhost', 'verify-full')))
      at.searchParams.set('sslrootcert', file)
      return at.href
    }
    const direct = `${url('localhost', 'verify-full')}&sslrootcert=${encodeURIComponent(authority.file)}`
    await migrate(direct)
    expect(await isEncrypted(pooled(stranger.file))).toBe(true)
    await expect(migrate(pooled(authority.file))).rejects.toMatchObject({ code: 'postgres_not_trusted' })
  })
})

it('Redis is reached over TLS with a user of its own, and an untrusted certificate is refused [log.redis_unreachable]', async () => {
  const { cert, key } = await authority.issue('redis', 'DNS:localhost')
  const server = parts.adopt(await startTlsRedis({ cert, key, ca: authority.file }), one => one.close())
  const redisUrl = `rediss://worker:${encodeURIComponent(PASSWORD)}@localhost:${server.port}`
  const redis = parts.adopt(openRedis({ url: redisUrl, ca: authority.ca }, redisClient), one =>
    one.disconnect(),
  )
  expect(await reserveCall(redis, 'call', 1)).toBe(true)
  expect(await reserveCall(redis, 'another', 1)).toBe(false)

  for (const [host, redisCa, says] of [
    ['localhost', stranger.ca, /REDIS_CA_FILE/],
    ['localhost', undefined, /REDIS_CA_FILE/],
    ['127.0.0.1', authority.ca, /REDIS_URL must name the server/],
  ] as const) {
    const log: string[] = []
    const at = redisUrl.replace('localhost', host)
    const connections = openConnections({ databaseUrl: 'postgres://127.0.0.1:1/x', redisUrl: at, redisCa })
    parts.defer(() => connections.close())
    const config = { base_url: '', master_key: '' }
    createContext({ connections, config, writeLog: line => log.push(line) })
    await expect(connections.redis.ping()).rejects.toThrow()
    expect(log.map(line => JSON.parse(line))).toMatchObject([
      { event: 'redis_unreachable', error: expect.stringMatching(says) },
    ])
  }
})

it('a Redis cluster is reached over TLS too, and an untrusted CA is logged', async () => {
  const files = await authority.issue('cluster', 'IP:127.0.0.1')
  const tls = { ...files, ca: authority.file }
  const cluster = parts.adopt(await startRedisCluster({ tls }), one => one.close())
  const redis = parts.adopt(openRedis({ url: cluster.url, ca: authority.ca }, redisClient), one =>
    one.disconnect(),
  )
  expect(await reserveCall(redis, 'call', 1)).toBe(true)
  expect(await reserveCall(redis, 'another', 1)).toBe(false)

  const log: string[] = []
  const ofStranger = openConnections({
    databaseUrl: 'postgres://127.0.0.1:1/x',
    redisUrl: cluster.url,
    redisCa: stranger.ca,
  })
  parts.defer(() => ofStranger.close())
  createContext({
    connections: ofStranger,
    config: { base_url: '', master_key: '' },
    writeLog: line => log.push(line),
  })
  ofStranger.redis.ping().catch(() => {})
  await eventually(() => expect(log.join()).toMatch(/REDIS_CA_FILE/))
})

it('the log says so if the URL of a single Redis names a node of a cluster [log.redis_is_a_cluster]', {
  timeout: 60_000,
}, async () => {
  const cluster = parts.adopt(await startRedisCluster(), one => one.close())
  const log: string[] = []
  const redisUrl = cluster.url.split(',')[0]!
  const connections = openConnections({ databaseUrl: 'postgres://127.0.0.1:1/x', redisUrl })
  parts.defer(() => connections.close())
  createContext({ connections, config: { base_url: '', master_key: '' }, writeLog: line => log.push(line) })
  await connections.redis.ping()
  await eventually(() => expect(log.join()).toMatch(/redis_is_a_cluster.*\?cluster=true/))
})
