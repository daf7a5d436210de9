// workerd with stores as operators run them: a Redis cluster, and TLS with the trusted CA named in the values.

import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { migrate } from '../../../infra/migrate.ts'
import { filesOf } from '../../../infra/targets/installation.ts'
import { type Authority, makeAuthority } from '../../support/certificates.ts'
import { eventually } from '../../support/eventually.ts'
import { PASSWORD, startRedisCluster, startTlsRedis } from '../../support/redis-servers.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startTlsPostgres } from '../../support/tls-postgres.ts'
import { localValues, startWorkerd, workerdFolder } from '../../support/workerd.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

async function started(urls: { DATABASE_URL: string; REDIS_URL: string }, config?: string) {
  const env = { ...urls, ASSAY_MASTER_KEY: 'ab'.repeat(32) }
  return parts.adopt(await startWorkerd(env, config), one => one.close())
}

const readiness = async ({ url }: { url: string }) => {
  const answer = await fetch(`${url}/health/ready`)
  const { dependencies } = (await answer.json()) as { dependencies: Record<string, { status: string }> }
  return [answer.status, dependencies.postgres!.status, dependencies.redis!.status]
}

const signIn = ({ url }: { url: string }) => {
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'a guess' })
  return fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
}

/** The file name of a configuration made from values that name a CA. */
async function trusting(authority: Authority): Promise<string> {
  const folder = await workerdFolder()
  await copyFile(authority.file, join(folder, 'ca.pem'))
  const files = filesOf('workerd', { ...(await localValues()), store_ca: 'ca.pem' }, 'a test')
  await writeFile(join(folder, 'trusting.capnp'), new Map(files).get('config.capnp')!)
  return 'trusting.capnp'
}

it('a Redis cluster works like one Redis', async () => {
  const cluster = parts.adopt(await startRedisCluster(), one => one.close())
  const database = parts.adopt(await testDatabase(), one => one.drop())
  const workerd = await started({ DATABASE_URL: database.url, REDIS_URL: cluster.url })
  expect(await readiness(workerd)).toEqual([200, 'ok', 'ok'])
  await signIn(workerd)
  const kept = await Promise.all(cluster.nodes.map(node => node.client.keys('assay:rate:sign-in:*')))
  expect(kept.flat()).not.toEqual([])
})

it('the keys of a named installation begin with its name, and a name that cannot be one is reported', async () => {
  const database = parts.adopt(await testDatabase(), one => one.drop())
  const redis = parts.adopt(await testRedis(), one => one.drop())
  const urls = { DATABASE_URL: database.url, REDIS_URL: redis.url }
  const files = new Map(filesOf('workerd', { ...(await localValues()), installation: 'staging' }, 'a test'))
  const config = files.get('config.capnp')!
  const folder = await workerdFolder()
  await writeFile(join(folder, 'named.capnp'), config)
  await writeFile(join(folder, 'misnamed.capnp'), config.replaceAll('"staging"', '"eu_1"'))

  const named = await started(urls, 'named.capnp')
  expect(await readiness(named)).toEqual([200, 'ok', 'ok'])
  await signIn(named)
  const client = parts.adopt(new Redis(redis.url), one => one.disconnect())
  const kept = await client.keys('*')
  expect(kept).toContain('assay-staging:turns')
  expect(kept.filter(key => !/^\{?assay-staging:/.test(key))).toEqual([])

  const misnamed = await started(urls, 'misnamed.capnp')
  expect(await readiness(misnamed)).toEqual([503, 'ok', 'unusable'])
  expect(await (await fetch(`${misnamed.url}/health/ready`)).text()).toMatch(
    /ASSAY_INSTALLATION is eu_1: it takes a name/,
  )
})

it('both stores are reached over TLS, and trusted only with a known CA and under their own name', {
  timeout: 120_000,
}, async () => {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const authority = await makeAuthority(folder.path, 'authority')
  const files = await authority.issue('stores', 'DNS:localhost')
  const database = parts.adopt(await startTlsPostgres(files), one => one.close())
  const redis = parts.adopt(await startTlsRedis({ ...files, ca: authority.file }), one => one.close())
  const byName = new URL(database.url)
  byName.hostname = 'localhost'
  byName.searchParams.set('sslmode', 'verify-full')
  const byAddress = new URL(byName)
  byAddress.hostname = '127.0.0.1'
  const REDIS_URL = `rediss://worker:${encodeURIComponent(PASSWORD)}@localhost:${redis.port}`
  await migrate(byName.href, authority.ca)
  const config = await trusting(authority)

  expect(await readiness(await started({ DATABASE_URL: byName.href, REDIS_URL }, config))).toEqual([
    200,
    'ok',
    'ok',
  ])
  const misnamed = await started({ DATABASE_URL: byAddress.href, REDIS_URL }, config)
  expect(await readiness(misnamed)).toEqual([503, 'unreachable', 'ok'])
  const strange = await started({ DATABASE_URL: byName.href, REDIS_URL })
  expect(await readiness(strange)).toEqual([503, 'unreachable', 'unreachable'])
  expect((await signIn(strange)).status).toBe(500)
  await eventually(() => expect(strange.log()).toContain('name its CA by'))
})
