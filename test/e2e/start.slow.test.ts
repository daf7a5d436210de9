// `npm start` of which parts are killed, two of it beside one another, and one on a database behind a pooler.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  alive,
  DOWN_MS,
  dataFolder,
  defer,
  ended,
  health,
  local,
  processesIn,
  start,
  UP_MS,
} from '../support/npm-start.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { emptyDatabase } from '../support/stores.ts'
import { killAll } from '../support/temp-folder.ts'

test('when the bootstrap is killed the stack notices and stops', { timeout: UP_MS }, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  process.kill(stack.pids[0]!, 'SIGKILL')
  await vi.waitFor(async () => expect(await alive(stack.pids)).toEqual([]), DOWN_MS)
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/)
})

test('a stack that crashes is started again', { timeout: 2 * UP_MS }, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  const ready = () => stack.lines.filter(line => line.startsWith('ready '))
  process.kill(stack.pids[1]!, 'SIGKILL')
  await eventually(() => expect(ready()).toHaveLength(2))
  expect(await health(ready()[1]!.slice('ready '.length))).toBe(200)
  stack.npm.kill('SIGTERM')
  await ended(stack)
  expect(await processesIn(dataDir)).toEqual([])
})

test('after kill -9 of everything the next start has the same access', { timeout: 2 * UP_MS }, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  const { base_url: _, ...access } = await local(dataDir)
  killAll([stack.npm.pid!, ...stack.pids])
  const again = await start(dataDir)
  expect(await local(dataDir)).toEqual({ base_url: again.url, ...access })
  expect(await health(again.url)).toBe(200)
})

test('two stacks run side by side, and each key is good for its own alone', {
  timeout: 2 * UP_MS,
}, async () => {
  const folders = [await dataFolder(), await dataFolder()] as const
  const [one, other] = await Promise.all([start(folders[0]), start(folders[1])])
  const { api_key } = await local(folders[0])
  const list = (url: string) => fetch(`${url}/v2/runs`, { headers: { authorization: `Bearer ${api_key}` } })
  expect((await list(one.url)).status).toBe(200)
  expect((await list(other.url)).status).toBe(401)
})

test.runIf(hasPgBouncer)(
  'a database behind a pooler is migrated past it, and worked on through it',
  {
    timeout: UP_MS,
  },
  async () => {
    const database = await emptyDatabase()
    const pooler = await startPgBouncer(inject('stores').databaseUrl, 10)
    const dataDir = await dataFolder()
    defer(() => database.drop())
    defer(() => pooler.close())
    const stack = await start(dataDir, {
      DATABASE_URL: pooler.through(database.url),
      DATABASE_MIGRATE_URL: database.url,
    })
    const { api_key } = await local(dataDir)
    const runs = await fetch(`${stack.url}/v2/runs`, { headers: { authorization: `Bearer ${api_key}` } })
    expect([runs.status, (await fetch(`${stack.url}/health/ready`)).status]).toEqual([200, 200])
  },
)
