// `npm start` in its own process group, and which of its processes live. Every start is stopped and its folder removed
// after the test, in files that call `stopAfterEach`.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, vi } from 'vitest'
import { tempFolder } from './temp-folder.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
export const UP_MS = 120_000
export const DOWN_MS = 60_000

export interface Stack {
  npm: ChildProcess
  /** npm's descendants while it was up: the bootstrap, the stack, the stores. */
  pids: number[]
  url: string
  lines: string[]
  errors: string[]
}

let parts = new AsyncDisposableStack()
/** A file calls it once: a worker loads this module once for all its files. */
export const stopAfterEach = (): void =>
  afterEach(async () => {
    const ending = parts
    parts = new AsyncDisposableStack()
    await ending.disposeAsync()
  }, 60_000)

/** Runs `undo` after the test. */
export const defer = (undo: () => void | Promise<void>): void => parts.defer(undo)

export async function dataFolder(): Promise<string> {
  const folder = await tempFolder()
  parts.defer(async () => {
    await vi.waitFor(async () => expect(await processesIn(folder.path)).toEqual([]), DOWN_MS)
    await folder.remove()
  })
  return folder.path
}

export function npmStart(
  dataDir: string,
  env: Record<string, string>,
  args: string[] = ['--no-demo'],
): ChildProcess {
  // The process group gets what Ctrl-C in a terminal would send.
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

export async function start(dataDir: string, env: Record<string, string> = {}): Promise<Stack> {
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
  return { npm, pids: await descendants(npm.pid!), url, lines, errors }
}

/** Exit code and standard error of a start that is expected to fail. */
export async function refused(npm: ChildProcess): Promise<{ code: number; wrote: string }> {
  let wrote = ''
  npm.stderr?.on('data', chunk => {
    wrote += chunk
  })
  const [code] = await once(npm, 'close')
  return { code, wrote }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

export async function ended(stack: Stack): Promise<void> {
  if (!hasEnded(stack.npm)) await once(stack.npm, 'exit')
  expect(await alive(stack.pids)).toEqual([])
}

export async function childrenOf(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim()
  return children === '' ? [] : children.split(' ').map(Number)
}

/** The id of the process that runs the PostgreSQL of this data folder. */
export async function postmasterOf(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

async function descendants(pid: number): Promise<number[]> {
  const pids = await childrenOf(pid)
  return [...pids, ...(await Promise.all(pids.map(descendants))).flat()]
}

/** Which of the processes still run; zombies do not count. */
export async function alive(pids: number[]): Promise<number[]> {
  const states = await Promise.all(
    pids.map(pid => readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z')),
  )
  return pids.filter((_, index) => !/State:\s*[ZX]/.test(states[index]!))
}

export async function processesIn(dataDir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const cwds = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => cwds[index]!.startsWith(dataDir))
}

export const local = async (dataDir: string) =>
  JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8'))
export const health = async (url: string) => (await fetch(`${url}/health`)).status
