// How an agent's process is started on this machine: the binary, the limits around it, and who it runs as.
// Guarantee: the process dies with its parent, however the parent ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { tell } from '../node/log.ts'

const NOBODY = 65534

export interface Launcher {
  /** The user the processes run as, when it is not ours. */
  uid: number | undefined
  /** Starts workerd on a configuration; fd 3 reports when it listens. */
  spawn(config: string, cwd: string, memory_bytes: number): ChildProcess
}

/** The package's main module knows the native binary; running that directly spares a Node process. */
const nativeBinary = (): string => createRequire(import.meta.url)('workerd').default

/** Finds the tools; `runAs` is honoured when we are root, and then defaults to nobody. */
export function createLauncher(runAs?: number, binary = nativeBinary()): Launcher {
  const setpriv = onPath('setpriv')
  const prlimit = onPath('prlimit')
  const root = process.getuid?.() === 0
  const uid = root && setpriv ? (runAs ?? (reachable(binary) ? NOBODY : undefined)) : undefined
  if (root && uid === undefined) {
    tell('warn', 'agents_run_as_root', {
      why: setpriv ? `other users cannot reach ${binary}` : 'there is no setpriv',
    })
  }
  return {
    uid,
    spawn(config, cwd, memory_bytes) {
      const command = [binary, 'serve', config, '--control-fd=3']
      if (prlimit) command.unshift(prlimit, `--data=${memory_bytes}`, '--core=0', '--')
      if (setpriv) command.unshift(setpriv, ...privileges(uid), '--')
      const child = spawn(command[0]!, command.slice(1), {
        cwd,
        env: {}, // nothing of the server's environment, which holds its secrets
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: true, // Ctrl-C in a terminal must not reach it before the server has drained
      })
      if (!setpriv) guard(child)
      return child
    },
  }
}

function privileges(uid: number | undefined): string[] {
  const drop = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  return [...drop, '--no-new-privs', '--pdeathsig=KILL']
}

/** Where the kernel cannot be asked to do it: a shell that outlives us by the time of reading an end of file. */
export function guard(child: ChildProcess): void {
  if (!child.pid) return
  const shell = spawn('/bin/sh', ['-c', 'read _; kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.on('error', () => child.kill('SIGKILL'))
  shell.unref()
  child.once('exit', () => shell.kill('SIGKILL'))
}

function onPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/bin', '/usr/sbin', '/sbin']
  return folders.map(folder => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether users other than the owner can get to a path. */
export function reachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}
