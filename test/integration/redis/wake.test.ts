// Listening for notifications on a Redis that refuses for a while and then accepts again.

import { Redis } from 'ioredis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startRedis } from '../../../infra/local/redis.ts'
import { openRedis } from '../../../infra/node/redis.ts'
import * as redisClient from '../../../infra/node/redis-client.ts'
import { listenForWakes, publishWake } from '../../../shared/redis/wake.ts'
import { eventually } from '../../support/eventually.ts'
import { tempFolder } from '../../support/temp-folder.ts'

it('a subscription that Redis refuses after a reconnect crashes no process, and is made on the next connection', async () => {
  const folder = await tempFolder()
  const server = await startRedis({ dataDir: folder.path })
  const [admin, redis] = [new Redis(server.url), openRedis({ url: server.url }, redisClient)]
  const woken = vi.fn<() => void>()
  const stop = listenForWakes(redis, woken)
  const uncaught = vi.fn<(reason: unknown) => void>()
  process.on('unhandledRejection', uncaught)
  onTestFinished(async () => {
    process.off('unhandledRejection', uncaught)
    stop()
    for (const client of [admin, redis]) client.disconnect()
    await server.stop()
    await folder.remove()
  })
  const isWoken = () =>
    eventually(() => {
      publishWake(redis)
      expect(woken).toHaveBeenCalled()
    })
  await isWoken()

  await admin.acl('SETUSER', 'default', 'resetchannels') // ends the connection that listens
  await eventually(async () => expect(String(await admin.acl('LOG'))).toContain('subscribe'))
  await admin.acl('SETUSER', 'default', 'allchannels')
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  woken.mockClear()
  await isWoken()
  expect(uncaught).not.toHaveBeenCalled()
})
