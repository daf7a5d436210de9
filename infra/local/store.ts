// Runs one store's process, the same way for PostgreSQL and Redis: one process per folder, on a loopback port of its
// own that it keeps while it is free. Guarantee: processes that a killed parent left running in the folder are ended
// first, and processes outside this folder are never touched. The caller holds the data folder's lock.

import { open, readdir, readFile, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Child, type ChildOptions, spawnBound } from './child.ts'
import { diskFull, ExitError } from './exit-error.ts'

export interface Store {
  url: string
  port: number
  pid: number
  /** Resolves when the process has exited, for whatever reason. */
  exited: Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL, for tests that break things. */
  kill(): Promise<void>
}

export interface Launch {
  name: string
  folder: string
  /** The program's name in the kernel; other processes in the folder, such as a shell, are left alone. */
  program: RegExp
  pidFile: string
  /** The port of the last start. */
  port: number | undefined
  child: ChildOptions
  /** Writes the configuration and returns the command to run. */
  prepare(port: number): Promise<[command: string, args: string[]]>
  /** Whether the process accepts connections. */
  ready(child: Child, port: number): Promise<boolean>
  /** Decides by the output of a failed start whether another try may work. */
  recover?(output: string): Promise<boolean>
}

const STOP_MS = 15_000
const TRY_FOR_MS = 30_000
// Replaying 2 GB of WAL after a crash takes about a minute on a slow disk.
const RECOVER_MS = 300_000
const POLL_MS = 15
/** A longer log is renamed at the next start, and a new one started. */
const LOG_BYTES = 10 * 1024 * 1024

export async function launch(plan: Launch): Promise<{ child: Child; port: number }> {
  await endLeftovers(plan)
  if ((await sizeOf(plan.child.log)) > LOG_BYTES) await rename(plan.child.log, `${plan.child.log}.1`)
  const deadline = Date.now() + TRY_FOR_MS
  let port = plan.port !== undefined && (await isFree(plan.port)) ? plan.port : await freePort()
  for (;;) {
    const seen = await sizeOf(plan.child.log)
    const [command, args] = await plan.prepare(port)
    const child = await spawnBound(command, args, plan.child)
    if (await becomesReady(plan, child, port)) return { child, port }
    const output = await readFrom(plan.child.log, seen)
    const taken = /address already in use|could not bind/i.test(output)
    if (Date.now() > deadline || !(taken || (await plan.recover?.(output)))) {
      const full = diskFull(output, plan.folder)
      if (full !== undefined) throw full
      const tail = output.trim().split('\n').slice(-12).join('\n')
      throw new ExitError(
        'store_did_not_start',
        `${plan.name} did not start in ${plan.folder}. It wrote (${plan.child.log}):\n${tail}`,
      )
    }
    if (taken) port = await freePort()
  }
}

export function asStore(url: string, port: number, child: Child): Store {
  return {
    url,
    port,
    pid: child.pid,
    exited: child.exited,
    stop: () => child.stop(STOP_MS),
    kill: child.kill,
  }
}

async function becomesReady(plan: Launch, child: Child, port: number): Promise<boolean> {
  let gone = false
  void child.exited.then(() => {
    gone = true
  })
  for (const end = Date.now() + RECOVER_MS; Date.now() < end; ) {
    if (gone) return false
    if (await plan.ready(child, port)) return true
    await delay(POLL_MS)
  }
  await child.kill()
  return false
}

/** Ends processes of an earlier start, which may be finishing or may not have noticed their parent's death. */
async function endLeftovers(plan: Launch): Promise<void> {
  let living = await processesIn(plan)
  if (living.length === 0) return
  const named = await pidIn(plan.pidFile)
  const leader = living.find(pid => pid === named)
  for (const pid of living) {
    if (pid === leader || leader === undefined) signal(pid, plan.child.endSignal)
  }
  for (const grace_ms of [STOP_MS, 5_000]) {
    for (const end = Date.now() + grace_ms; Date.now() < end; await delay(POLL_MS)) {
      living = await processesIn(plan)
      if (living.length === 0) return
    }
    for (const pid of living) signal(pid, 'SIGKILL')
  }
  throw new ExitError(
    'store_still_running',
    `${plan.name} of an earlier start still runs in ${plan.folder} (pid ${living.join(', ')}) and cannot be ended. End it, then start again.`,
  )
}

/** The processes of this program that work in this folder; folders are compared by identity, not by name. */
async function processesIn(plan: Launch): Promise<number[]> {
  if (process.platform !== 'linux') return processFromPidFile(plan)
  const folder = await stat(plan.folder)
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const mine = await Promise.all(
    pids.map(async pid => {
      const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
      if (!plan.program.test(program)) return false
      const cwd = await stat(`/proc/${pid}/cwd`).catch(() => undefined)
      return cwd !== undefined && cwd.dev === folder.dev && cwd.ino === folder.ino
    }),
  )
  return pids.filter((_, index) => mine[index]).map(Number)
}

async function processFromPidFile(plan: Launch): Promise<number[]> {
  const pid = await pidIn(plan.pidFile)
  if (pid === undefined) return []
  const { spawnSync } = await import('node:child_process')
  const command =
    spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  return command.includes(plan.folder) ? [pid] : []
}

async function pidIn(file: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10)
  return pid > 0 ? pid : undefined
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function isFree(port: number): Promise<boolean> {
  return (await listenBriefly(port)) !== undefined
}

async function freePort(): Promise<number> {
  const port = await listenBriefly(0)
  if (port === undefined) throw new ExitError('no_free_port', 'no TCP port is free on 127.0.0.1')
  return port
}

function listenBriefly(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}

async function readFrom(file: string, position: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const size = (await handle.stat()).size - position
    const { buffer } = await handle.read(
      Buffer.alloc(Math.min(size, 65_536)),
      0,
      Math.min(size, 65_536),
      position,
    )
    return buffer.toString('utf8')
  } finally {
    await handle.close()
  }
}
