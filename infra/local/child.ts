// Runs child processes that do not outlive this one. Each runs in a session of its own, so that Ctrl-C in a terminal
// reaches only this process, which ends its children in order. If this process is killed, Linux signals them
// (pdeathsig); elsewhere the next start finds and ends them.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface Owner {
  uid: number
  gid: number
}

export interface Child {
  pid: number
  /** Resolves when the process has exited, for whatever reason. */
  exited: Promise<void>
  /** Sends the end signal, and kills the process if it has not ended after `grace_ms`. */
  stop(grace_ms: number): Promise<void>
  kill(): Promise<void>
}

export interface ChildOptions {
  cwd: string
  /** Standard output and error are appended to this file. */
  log: string
  /** The signal for an orderly end of this program; it also gets it when this process dies. */
  endSignal: 'SIGINT' | 'SIGTERM'
  owner?: Owner | undefined
  env?: Record<string, string>
}

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find(path => existsSync(path))

const alive = new Map<ChildProcess, NodeJS.Signals>()
process.on('exit', () => {
  for (const [child, signal] of alive) child.kill(signal)
})

export async function spawnBound(command: string, args: string[], options: ChildOptions): Promise<Child> {
  const log = await open(options.log, 'a', 0o600)
  const bound = process.platform === 'linux' && SETPRIV !== undefined
  const [file, argv] = bound
    ? [SETPRIV, ['--pdeathsig', options.endSignal.slice(3), '--', command, ...args]]
    : [command, args]
  try {
    // A later start without root's rights must be able to append to it.
    if (options.owner) await log.chown(options.owner.uid, options.owner.gid)
    const child = spawn(file, argv, {
      cwd: options.cwd,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: options.env ?? { PATH: process.env.PATH ?? '' },
      ...options.owner,
    })
    // 'exit', not 'close': a grandchild may hold the log open for longer.
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    alive.set(child, options.endSignal)
    void exited.then(() => alive.delete(child))
    return {
      pid: child.pid!,
      exited,
      async stop(grace_ms) {
        child.kill(options.endSignal)
        if (await within(grace_ms, exited)) return
        child.kill('SIGKILL')
        await exited
      },
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
  } finally {
    await log.close()
  }
}

/** Whether the promise resolves within the time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const settled = promise.then(() => true)
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false)
  return Promise.race([settled, late]).finally(() => timer.abort())
}
