// Starts an agent's process on this machine: the binary, its limits, and the user it runs as. Guarantee: the process
// dies with its parent, however the parent ends, and gets nothing of the parent's environment. Where the kernel
// supports it, it writes to no file, has limited memory, files and threads, and a lower CPU priority than the process
// that dispatches items and answers callers.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getPriority, setPriority, constants as system } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { logWithoutContext } from '../node/log.ts'

const NOBODY = 65534
/** User ids that nobody hands out, according to systemd's list (UIDS-GIDS). */
const OWN_USERS = { first: 1_879_048_192, last: 2_147_352_575 }
/** The oom_score_adj that makes the kernel end this process first when memory runs out. */
const FIRST_TO_GO = '1000'

/** The user of an agent's process, where it is not ours. */
export interface ProcessUser {
  uid: number
  /** Whether no other process runs as this user, so that limits per user apply to this process only. */
  own: boolean
}
const NICER = 10 // each step gives others a quarter more

export interface Launcher {
  /** Returns another user with each call, where the system allows that. */
  user(): ProcessUser | undefined
  /** Starts workerd with a configuration; fd 3 reports when it listens. */
  spawn(
    config: string,
    cwd: string,
    as: { user: ProcessUser | undefined; memory_bytes: number },
  ): ChildProcess
}

/** The package's main module exports the native binary's path; running it directly saves a Node process. */
const nativeBinary = (): string => createRequire(import.meta.url)('workerd').default

export interface LauncherOptions {
  /** The user of all processes, if we are root; by default each has its own. */
  runAs?: number | undefined
  binary?: string
  /** Processes run as our user, root too: the code is of the person who starts us. */
  asOurselves?: true
}

/** Finds the tools. As root, processes run as `runAs` or else each as its own user; otherwise they run as ours. */
export function createLauncher({
  runAs,
  binary = nativeBinary(),
  asOurselves,
}: LauncherOptions = {}): Launcher {
  const setpriv = onPath('setpriv')
  const prlimit = onPath('prlimit')
  const root = process.getuid?.() === 0
  const drops = root && !asOurselves && setpriv !== undefined && (runAs !== undefined || reachable(binary))
  if (root && !drops && !asOurselves) {
    logWithoutContext('warn', 'agents_run_as_root', {
      why: setpriv ? `other users cannot reach ${binary}` : 'there is no setpriv',
    })
  }
  const own = drops && runAs === undefined && hasOwnUsers()
  return {
    user() {
      if (!drops) return undefined
      if (own) return { uid: randomInt(OWN_USERS.first, OWN_USERS.last), own }
      return { uid: runAs ?? NOBODY, own }
    },
    spawn(config, cwd, { user, memory_bytes }) {
      const command = [binary, 'serve', config, '--control-fd=3']
      if (prlimit) command.unshift(prlimit, ...limits(memory_bytes, user), '--')
      if (setpriv) command.unshift(setpriv, ...privileges(user?.uid), '--')
      const child = spawn(command[0]!, command.slice(1), {
        cwd,
        env: { RUST_MIN_STACK: String(LIMITS.agent_thread_stack_bytes) }, // nothing of the server's, which has secrets
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: true, // Ctrl-C must not reach it before the server has drained
      })
      offer(child)
      if (!setpriv) guard(child)
      giveWay(child)
      return child
    },
  }
}

/** Whether OWN_USERS exist here; a container may have only a few users. */
function hasOwnUsers(): boolean {
  const maps = ['uid', 'gid'].map(of => readOr(`/proc/self/${of}_map`, ''))
  return maps.every(map =>
    map.split('\n').some(line => {
      const [first, , count] = line.trim().split(/\s+/).map(Number)
      return first! <= OWN_USERS.first && first! + count! > OWN_USERS.last
    }),
  )
}

function limits(memory_bytes: number, user: ProcessUser | undefined): string[] {
  const most = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(readOr('/proc/self/limits', ''))?.[1] ?? Infinity)
  return [
    `--data=${memory_bytes + LIMITS.agent_unused_mib * 2 ** 20}`,
    '--core=0',
    '--fsize=0',
    `--nofile=${Math.min(LIMITS.agent_open_files, most)}`,
    // The kernel counts threads over all processes of a user, so a shared user's limit would affect others.
    ...(user?.own ? [`--nproc=${LIMITS.agent_threads}`] : []),
  ]
}

function privileges(uid: number | undefined): string[] {
  const drop = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  return [...drop, '--no-new-privs', '--pdeathsig=KILL']
}

/** Makes the kernel end this process before the server and the stores when memory runs out. */
function offer({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${pid}/oom_score_adj`, FIRST_TO_GO)
  } catch {} // not Linux, or the process has ended already
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

/**
 * Lowers the CPU priority. A looping bundle takes a processor until it is detected, and there may be many; with this,
 * others get nine tenths. It is set before the process has threads, which inherit it.
 */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid) setPriority(pid, Math.min(system.priority.PRIORITY_LOW, getPriority() + NICER))
  } catch {
    // The process has ended already, which its exit reports.
  }
}

/** Kills the child when we die, where the kernel cannot: a shell waits for the end of its input, then kills it. */
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

/** Whether users other than the owner can reach a path. */
export function reachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}
