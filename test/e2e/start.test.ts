// `npm start` as a person uses it: one command up, any way down, and nothing left behind.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test, vi } from 'vitest'
import { killAll, tempFolder } from '../support/temp-folder.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const UP_MS = 60_000
const DOWN_MS = 20_000

interface Stack {
  npm: ChildProcess
  /** npm's descendants while it was up: the bootstrap, the stack, the stores. */
  pids: number[]
  url: string
  lines: string[]
}

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
}, 60_000)

async function dataFolder(): Promise<string> {
  const folder = await tempFolder()
  parts.defer(async () => {
    await vi.waitFor(async () => expect(await processesIn(folder.path)).toEqual([]), DOWN_MS)
    await folder.remove()
  })
  return folder.path
}

function npmStart(
  dataDir: string,
  env: Record<string, string>,
  args: string[] = ['--no-demo'],
): ChildProcess {
  // A process group of its own, which gets what Ctrl-C in a terminal would send.
  const npm = spawn('npm', ['start', '--', ...args], {
    cwd: CHECKOUT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PORT: '0', ASSAY_DATA_DIR: dataDir, DATABASE_URL: '', REDIS_URL: '', ...env },
  })
  parts.defer(async () => {
    if (!hasEnded(npm)) {
      npm.kill('SIGTERM')
      await once(npm, 'exit')
    }
  })
  return npm
}

async function start(dataDir: string, env: Record<string, string> = {}): Promise<Stack> {
  const npm = npmStart(dataDir, env)
  const lines: string[] = []
  const errors: string[] = []
  createInterface(npm.stderr!).on('line', line => errors.push(line))
  const out = createInterface(npm.stdout!)
  const url = await new Promise<string>((resolve, reject) => {
    npm.once('exit', () => reject(new Error([...lines, ...errors].join('\n'))))
    out.on('line', line => {
      lines.push(line)
      if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
    })
  })
  return { npm, pids: await descendants(npm.pid!), url, lines }
}

/** How it ended and what it wrote, of a start that is expected to fail. */
async function refused(npm: ChildProcess): Promise<{ code: number; wrote: string }> {
  let wrote = ''
  npm.stderr?.on('data', chunk => {
    wrote += chunk
  })
  const [code] = await once(npm, 'close')
  return { code, wrote }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function ended(stack: Stack): Promise<void> {
  if (!hasEnded(stack.npm)) await once(stack.npm, 'exit')
  expect(await alive(stack.pids)).toEqual([])
}

async function descendants(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim()
  if (children === '') return []
  const pids = children.split(' ').map(Number)
  return [...pids, ...(await Promise.all(pids.map(descendants))).flat()]
}

/** Those of the processes that still run; one that only waits to be reaped does not. */
async function alive(pids: number[]): Promise<number[]> {
  const states = await Promise.all(
    pids.map(pid => readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z')),
  )
  return pids.filter((_, index) => !/State:\s*[ZX]/.test(states[index]!))
}

async function processesIn(dataDir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const cwds = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => cwds[index]!.startsWith(dataDir))
}

const local = async (dataDir: string) => JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8'))
const health = async (url: string) => (await fetch(`${url}/health`)).status

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

test('SIGTERM to npm alone leaves no process, and the next start has the same access', {
  timeout: 2 * UP_MS,
}, async () => {
  const dataDir = await dataFolder()
  const stack = await start(dataDir)
  const { base_url: _, ...access } = await local(dataDir)
  expect(stack.pids.length).toBeGreaterThanOrEqual(4) // bootstrap, stack, PostgreSQL, Redis
  stack.npm.kill('SIGTERM')
  await ended(stack)
  expect(await processesIn(dataDir)).toEqual([])

  const again = await start(dataDir)
  expect(await local(dataDir)).toEqual({ base_url: again.url, ...access })
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
  await vi.waitFor(() => expect(ready()).toHaveLength(2), UP_MS)
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

test('a taken port and an unknown option are each refused with one line that says what to do [service.local-address]', async () => {
  const dataDir = await dataFolder()
  const taker = createServer().listen(0, '127.0.0.1')
  await once(taker, 'listening')
  parts.defer(() => void taker.close())
  const { port } = taker.address() as { port: number }
  const taken = await refused(npmStart(dataDir, { PORT: String(port) }))
  expect(taken).toMatchObject({ code: 1, wrote: expect.stringContaining(`port_in_use: port ${port}`) })
  const usual = createServer().listen(8090, '127.0.0.1')
  // Taken by somebody else it is taken as well.
  await Promise.race([once(usual, 'listening'), once(usual, 'error')]).catch(() => {})
  parts.defer(() => void usual.close())
  const untold = await refused(npmStart(dataDir, { PORT: '' }))
  expect(untold.wrote).toContain('port_in_use: port 8090')
  const unknown = await refused(npmStart(dataDir, {}, ['--nodemo']))
  expect(unknown).toMatchObject({ code: 2, wrote: expect.stringContaining('usage: npm start') })
})
