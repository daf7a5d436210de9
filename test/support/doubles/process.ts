// Runs the process of a bundle as a container does: with only its settings in the environment.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const NODE = join(import.meta.dirname, '../../../node_modules/node/bin/node')
const LOG_CHARACTERS = 8000

export interface FunctionProcess {
  child: ChildProcess
  /** Resolves with what it exited with: a code, or the name of the signal that ended it. */
  ended: Promise<number | string>
  /** The end of what it has logged. */
  log(): string
}

/** Starts it; `node` is the packaged one, whatever is on the PATH. */
export function startProcess([command, ...args]: string[], env: Record<string, string>): FunctionProcess {
  const program = command === 'node' ? NODE : command!
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', chunk => {
      log = (log + chunk).slice(-LOG_CHARACTERS)
    })
  }
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  return { child, ended, log: () => log }
}

/** Whether it exited by itself or by a signal, such as the kernel's where memory is short. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null
