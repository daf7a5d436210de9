// A hosted Redis has some commands and lacks others. The commands sent here are read off a server while functions
// sleep, wake and work, and compared with those of Upstash (its page of compatible commands, read in November 2026).

import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { recall, remember } from '../../../shared/redis/cache.ts'
import { countPresent, releaseCall, reserveCall } from '../../../shared/redis/consumer-presence.ts'
import { takeTokens } from '../../../shared/redis/rate.ts'
import { probe } from '../../../shared/upkeep/verbs/readiness.ts'
import { startSleeping } from '../../support/sleeping.ts'
import { privateStores } from '../../support/stores.ts'

/** By the groups of that page. It has AUTH too, which MONITOR hides, and CLIENT SETINFO, which Redis 7.2 brought. */
const SENT = [
  ...['hello'], // Connection
  ...['info'], // Server
  ...['publish', 'subscribe'], // Pub/Sub
  ...['eval'], // Scripting
  ...['get', 'set'], // String
  ...['zrem'], // Sorted Set
]
const SENT_BY_SCRIPTS = [
  ...['time'], // Server
  ...['pexpire'], // Generic
  ...['hmget', 'hset'], // Hash
  ...['zadd', 'zcard', 'zcount', 'zpopmin', 'zrange', 'zremrangebyscore', 'zscore'], // Sorted Set
]

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

it('no command is sent that a hosted Redis may lack', async () => {
  const stores = parts.adopt(await privateStores(), one => one.close())
  const asker = parts.adopt(new Redis(stores.redisUrl), one => one.disconnect())
  const monitor = parts.adopt(await asker.monitor(), one => one.disconnect())
  const sent = new Set<string>()
  const sentByScripts = new Set<string>()
  monitor.on('monitor', (_, [name, first]: string[], source) => {
    const command = /^(client|cluster|script|config)$/i.test(name!) ? `${name} ${first}` : name!
    ;(source === 'lua' ? sentByScripts : sent).add(command.toLowerCase())
  })

  const project = parts.adopt(await startSleeping(stores), one => one.close())
  expect(await project.finished(await project.submit(200))).toMatchObject({ ok: 200 })
  await project.call('tick')
  await project.toZero()
  const connections = parts.adopt(openConnections(stores), one => one.close())
  const { redis } = connections
  await probe(createContext({ connections, config: { base_url: '', master_key: '' } }))
  await takeTokens(redis, { name: 'sign-in:x', per_second: 1, burst: 1 }, 1, Date.now())
  await remember(redis, 'name', 1, 1000)
  await recall(redis, 'name')
  await reserveCall(redis, 'call', 9)
  await releaseCall(redis, 'call')
  await countPresent(redis)
  await asker.echo('the last one')
  await expect.poll(() => sent.delete('echo')).toBe(true)

  sent.delete('client setinfo')
  expect([...sent].sort()).toEqual(SENT.sort())
  expect([...sentByScripts].sort()).toEqual(SENT_BY_SCRIPTS.sort())
})
