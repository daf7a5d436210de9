// `npm start` as a person uses it: one command up, any way down, and nothing left behind.

import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
  UP_MS,
} from '../support/npm-start.ts'

test('one command brings a stack that answers, and its access for its owner alone', {
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
})

test('SIGTERM to npm alone leaves no process, and the next start has the same access, and what it is told by then', {
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

test('Ctrl-C, which reaches every process of the terminal at once, is one orderly stop', {
  timeout: UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  process.kill(-stack.npm.pid!, 'SIGINT')
  await ended(stack)
  expect(stack.lines.filter(line => line === 'stopping')).toHaveLength(1)
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/)
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
  // Taken by somebody else it is taken as well.
  await Promise.race([once(usual, 'listening'), once(usual, 'error')]).catch(() => {})
  defer(() => void usual.close())
  const untold = await refused(npmStart(dataDir, { PORT: '' }))
  expect(untold.wrote).toContain('port_in_use: port 8090')
  const unknown = await refused(npmStart(dataDir, {}, ['--nodemo']))
  expect(unknown).toMatchObject({ code: 2, wrote: expect.stringContaining('usage: npm start') })
})
