// `npm start` as a person uses it: one command up, any way down, and nothing left behind.

import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startPostgres } from '../../infra/local/postgres.ts'
import { eventually } from '../support/eventually.ts'
import {
  dataFolder,
  defer,
  ended,
  health,
  local,
  npmStart,
  processesIn,
  refused,
  start,
  stopAfterEach,
  UP_MS,
} from '../support/npm-start.ts'
import { freePort } from '../support/ports.ts'

stopAfterEach()

test('one command starts a stack that answers, with its access readable by its owner only', {
  timeout: UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  const written = await local(dataDir)
  expect(written).toEqual({
    base_url: stack.url,
    account: { email: expect.stringMatching(/@/), password: expect.stringMatching(/.{12}/) },
    project_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    api_key: expect.stringMatching(/.{20}/),
    metrics_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(await health(stack.url)).toBe(200)
  for (const file of ['local.json', 'master.key']) {
    expect((await stat(join(dataDir, file))).mode & 0o777, file).toBe(0o600)
  }
  expect(stack.lines.filter(line => line.startsWith('ready '))).toHaveLength(1)
  expect(stack.lines).toContainEqual(
    expect.stringMatching(/^open beside the public internet: 127\.0\.0\.0\/8 /),
  )
})

test('SIGTERM to npm alone leaves no process, and the next start has the same access and its new settings', {
  timeout: 2 * UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  const { base_url: _, ...access } = await local(dataDir)
  expect(stack.pids.length).toBeGreaterThanOrEqual(4) // bootstrap, stack, PostgreSQL, Redis
  stack.npm.kill('SIGTERM')
  await ended(stack)
  expect(await processesIn(dataDir)).toEqual([])

  const again = await start(dataDir, {
    BASE_URL: 'https://example.com/assay',
    ASSAY_TRUSTED_PROXIES: '127.0.0.1/32',
    ASSAY_TRUSTED_PROXY: '127.0.0.1/32',
  })
  expect(await local(dataDir)).toEqual({ base_url: again.url, ...access })
  expect(again.lines).toContain(
    'unknown_setting: there is no setting ASSAY_TRUSTED_PROXY; did you mean ASSAY_TRUSTED_PROXIES?',
  )
  expect(again.lines).toContainEqual(
    expect.stringContaining('dashboard https://example.com/assay/dashboard for'),
  )
  const document = await (await fetch(`${again.url}/openapi.json`)).json()
  expect(document.servers).toEqual([{ url: '/assay' }])
})

test('Ctrl-C, which reaches every process of the terminal at once, causes one orderly stop', {
  timeout: UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  process.kill(-stack.npm.pid!, 'SIGINT')
  await ended(stack)
  expect(stack.lines.filter(line => line === 'stopping')).toHaveLength(1)
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/)
})

test('a server waits for a PostgreSQL that is away, says so, and is ready as soon as it is back', {
  timeout: 2 * UP_MS,
}, async () => {
  const [dataDir, elsewhere] = [await dataFolder(), await dataFolder()]
  const before = await startPostgres({ dataDir: elsewhere }) // for its URL only, which stays
  await before.stop()
  const PORT = String(await freePort())
  const npm = npmStart(dataDir, { PORT, DATABASE_URL: before.url })
  let wrote = ''
  npm.stdout!.on('data', chunk => {
    wrote += chunk
  })
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${PORT}${path}`)
    return { status: answer.status, headers: answer.headers, json: await answer.json() }
  }
  const message = expect.stringMatching(/^postgres cannot be reached \(ECONNREFUSED\)/)
  await vi.waitFor(
    async () =>
      expect((await ask('/health/ready')).json.error).toEqual({ code: 'dependency_unreachable', message }),
    UP_MS,
  )
  expect((await ask('/health')).status).toBe(200)
  const { status, headers, json } = await ask('/v2/runs')
  expect([status, json.error.code, headers.get('retry-after')]).toEqual([500, 'store_unreachable', '2'])

  const late = await startPostgres({ dataDir: elsewhere })
  defer(() => late.stop())
  await eventually(() => expect(wrote).toMatch(/^ready http/m))
  expect((await ask('/health/ready')).json.status).toBe('ready')
  // Once for each reason: it may be found while it is starting up.
  const waits = wrote.match(/PostgreSQL does not answer .*; waiting for it$/gm) ?? []
  expect(waits[0]).toContain('ECONNREFUSED')
  expect(new Set(waits).size).toBe(waits.length)
  const { api_key } = await local(dataDir)
  const authorization = `Bearer ${api_key}`
  const runs = await fetch(`http://127.0.0.1:${PORT}/v2/runs`, { headers: { authorization } })
  expect(runs.status).toBe(200)
  npm.kill('SIGTERM')
  await once(npm, 'exit')
})

test('a taken port and an unknown option are each refused with one line that says what to do [service.local-address]', async () => {
  const dataDir = await dataFolder()
  const taker = createServer().listen(0, '127.0.0.1')
  await once(taker, 'listening')
  defer(() => void taker.close())
  const { port } = taker.address() as { port: number }
  const taken = await refused(npmStart(dataDir, { PORT: String(port) }))
  expect(taken).toMatchObject({ code: 78, wrote: expect.stringContaining(`port_in_use: port ${port}`) })
  const usual = createServer().listen(8090, '127.0.0.1')
  // If another process has it already, that does as well.
  await Promise.race([once(usual, 'listening'), once(usual, 'error')]).catch(() => {})
  defer(() => void usual.close())
  const unset = await refused(npmStart(dataDir, { PORT: '' }))
  expect(unset.wrote).toContain('port_in_use: port 8090')
  const unknown = await refused(npmStart(dataDir, {}, ['--nodemo']))
  expect(unknown).toMatchObject({ code: 2, wrote: expect.stringContaining('usage: npm start') })
})
