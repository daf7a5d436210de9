// `npm start` with parts of it killed, twice at the same time, and on a database behind a pooler.

import { readFile, rename } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  alive,
  childrenOf,
  DOWN_MS,
  dataFolder,
  defer,
  ended,
  health,
  local,
  postmasterOf,
  processesIn,
  start,
  stopAfterEach,
  UP_MS,
} from '../support/npm-start.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { freePort } from '../support/ports.ts'
import { durableDatabase } from '../support/stores.ts'
import { killAll } from '../support/temp-folder.ts'

stopAfterEach()

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

test('a stack that crashes repeatedly is restarted after longer and longer waits, and /health/ready says so', {
  timeout: 4 * UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const port = await freePort()
  const stack = await start(dataDir, { PORT: String(port) })
  const bootstrap = stack.pids[0]!
  const ready = () => stack.lines.filter(line => line.startsWith('ready '))
  const crash = async (n: number) => {
    await eventually(() => expect(ready()).toHaveLength(n))
    const [child] = await childrenOf(bootstrap)
    process.kill(child!, 'SIGKILL')
  }
  for (let n = 1; n <= 3; n++) await crash(n)
  const answer = await vi.waitFor(
    async () => {
      const response = await fetch(`${stack.url}/health/ready`)
      const body = await response.json()
      expect(body.error?.code).toBe('process_restarting')
      return { http: response.status, body }
    },
    { timeout: DOWN_MS, interval: 50 },
  )
  expect(answer.http).toBe(503)
  // A target that is no URL is answered like all others, and ends nothing.
  const odd = createConnection(port, '127.0.0.1').end('GET // HTTP/1.1\r\nhost: localhost\r\n\r\n')
  expect(await text(odd)).toMatch(/^HTTP\/1.1 500 /)
  expect(answer.body.error.message).toMatch(
    /^the stack crashed( \d times within ten minutes)? and is started again in/,
  )
  const document = JSON.parse(
    await readFile(join(import.meta.dirname, '../../infra/generated/openapi.json'), 'utf8'),
  )
  const { schema } = document.paths['/health/ready'].get.responses['503'].content['application/json']
  expect(Object.keys(answer.body).sort()).toEqual(schema.required.toSorted())
  await eventually(() => expect(ready()).toHaveLength(4))
  expect((await fetch(`${stack.url}/health/ready`)).status).toBe(200)
})

test('a PostgreSQL that cannot start for a while is retried while the stack stays up, and the stack recovers when it can', {
  timeout: 3 * UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  const postmaster = await postmasterOf(dataDir)
  const control = join(dataDir, 'postgres', 'global', 'pg_control')
  await rename(control, `${control}.away`) // PostgreSQL does not start without it
  process.kill(postmaster, 'SIGKILL')
  await eventually(() => {
    const tries = stack.lines.filter(line => line.includes('PostgreSQL died; starting it again in'))
    expect(tries.length).toBeGreaterThanOrEqual(3)
  })
  const away = await fetch(`${stack.url}/health/ready`)
  expect(away.status).toBe(503)
  expect((await away.json()).dependencies.postgres.status).toBe('unreachable')
  await rename(`${control}.away`, control)
  await eventually(async () => expect((await fetch(`${stack.url}/health/ready`)).status).toBe(200))
  expect(stack.npm.exitCode).toBeNull()
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

test('two stacks run side by side, and each key is valid for its own stack only', {
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
  'a database behind a pooler is migrated past the pooler, and used through it',
  {
    timeout: UP_MS,
  },
  async () => {
    const database = await durableDatabase()
    const pooler = await startPgBouncer(database.url, 10)
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
