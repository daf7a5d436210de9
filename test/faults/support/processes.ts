// Real processes of infra/node/main.ts or a program next to it, which the kernel ends when the test's own process dies.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'

const CHECKOUT = join(import.meta.dirname, '../../..')
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find(path => existsSync(path))

export interface AssayProcess {
  pid: number
  /** What it wrote, one JSON object per line. */
  log: string[]
  /** Resolves with the signal or the code that ended it. */
  exited: Promise<string | number>
  signal(name: NodeJS.Signals): void
  /** Resolves when the kernel has stopped it (SIGSTOP). */
  stopped(): Promise<void>
  /** Sends the signal and resolves when the process is gone. */
  end(name?: NodeJS.Signals): Promise<string | number>
}

/** Starts a process with the environment and resolves when it says that it is ready. A program is from infra/node. */
export async function startProcess(
  env: Record<string, string>,
  program = 'main',
  checkout = CHECKOUT,
): Promise<AssayProcess> {
  const path = join(checkout, 'infra/node', extname(program) === '' ? `${program}.ts` : program)
  const [file, args] = SETPRIV
    ? [SETPRIV, ['--pdeathsig', 'KILL', '--', process.execPath, path]]
    : [process.execPath, [path]]
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', line => {
      log.push(line)
      if (line.includes('"event":"ready"')) resolve()
    })
  const exited = once(child, 'exit').then(([code, signal]) => (signal ?? code) as string | number)
  child.once('error', reject)
  void exited.then(how =>
    reject(new Error(`the process ended (${how}) before it was ready:\n${log.join('\n')}`)),
  )
  await ready
  return {
    pid: child.pid!,
    log,
    exited,
    signal: name => void child.kill(name),
    stopped: () => stateBecomes(child, 'T'),
    async end(name = 'SIGKILL') {
      child.kill('SIGCONT') // a stopped process would not notice a SIGTERM
      child.kill(name)
      return exited
    },
  }
}

const LOOK_MS = 10 // the kernel reports it only to the parent's wait(), which Node does not expose

async function stateBecomes(child: ChildProcess, state: string): Promise<void> {
  for (;;) {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1')
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith(state)) return
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
}

/** The agents' processes that a consumer started. */
export function workerdsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim()
  return children
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter(child => /workerd/.test(readFileSync(`/proc/${child}/comm`, 'latin1')))
}
