// How an agent's process is started on this machine: the binary, the limits around it, and who it runs as.
// Guarantee: the process dies with its parent, however the parent ends; it begins with nothing of the parent's environment, and
// where the kernel can be asked, it writes to no file, is bounded in memory, files and threads, and goes after what dispatches
// items and answers callers where processors are short.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getPriority, setPriority, constants as system } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { tell } from '../node/log.ts'

const NOBODY = 65534
/** User ids that systemd's list of them (UIDS-GIDS) knows nobody to hand out. */
const OWN_USERS = { first: 1_879_048_192, last: 2_147_352_575 }
/** Of all processes the kernel ends this one first where memory runs out. */
const FIRST_TO_GO = '1000'

/** The next process's user, when it is not ours. */
export interface ProcessUser {
  uid: number
  /** Nobody else has it, so it can be bounded by it. */
  own: boolean
}
const NICER = 10 // each is a quarter more for others

export interface Launcher {
  /** Another one with each call, where users can be had. */
  user(): ProcessUser | undefined
  /** Starts workerd on a configuration; fd 3 reports when it listens. */
  spawn(
    config: string,
    cwd: string,
    as: { user: ProcessUser | undefined; memory_bytes: number },
  ): ChildProcess
}

/** The package's main module knows the native binary; running that directly spares a Node process. */
const nativeBinary = (): string => createRequire(import.meta.url)('workerd').default

/** Finds the tools; `runAs` is honoured when we are root, and otherwise each process has a user of its own. */
export function createLauncher(runAs?: number, binary = nativeBinary()): Launcher {
  const setpriv = onPath('setpriv')
  const prlimit = onPath('prlimit')
  const root = process.getuid?.() === 0
  const drops = root && setpriv !== undefined && (runAs !== undefined || reachable(binary))
  if (root && !drops) {
    tell('warn', 'agents_run_as_root', {
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
        env: { RUST_MIN_STACK: String(LIMITS.agent_thread_stack_bytes) }, // nothing of the server's, which holds its secrets
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: true, // Ctrl-C in a terminal must not reach it before the server has drained
      })
      offer(child)
      if (!setpriv) guard(child)
      giveWay(child)
      return child
    },
  }
}

/** A container may have a few users only. */
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
    `--data=${memory_bytes}`,
    '--core=0',
    '--fsize=0',
    `--nofile=${Math.min(LIMITS.agent_open_files, most)}`,
    // Counted over all of a user's processes, so of a user that others have too it would bound theirs.
    ...(user?.own ? [`--nproc=${LIMITS.agent_threads}`] : []),
  ]
}

function privileges(uid: number | undefined): string[] {
  const drop = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  return [...drop, '--no-new-privs', '--pdeathsig=KILL']
}

/** To the kernel, before the server and the stores. */
function offer({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${pid}/oom_score_adj`, FIRST_TO_GO)
  } catch {} // no Linux, or it is gone already
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

/**
 * A bundle that loops takes a processor until it is found out, and there may be many: beside it others get nine tenths. Set
 * before it has threads, which have what the process had.
 */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid) setPriority(pid, Math.min(system.priority.PRIORITY_LOW, getPriority() + NICER))
  } catch {
    // It has ended already, and says so itself.
  }
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
