// A shell in which a page is followed. Guarantee: what one block exports, later blocks have, as in the reader's shell.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Shell {
  /**
   * Runs commands to their end.
   *
   * @returns their output
   * @throws Error with their output, if one of them fails
   */
  run(commands: string): Promise<string>
  /** Ends what they left running in the background. */
  close(): void
}

/** Runs in the folder `cwd`, and keeps what it remembers in the folder `memory`. */
export async function startShell(cwd: string, memory: string): Promise<Shell> {
  const [exports, printed] = [join(memory, 'exports'), join(memory, 'printed')]
  await writeFile(exports, '')
  const groups: number[] = []
  return {
    async run(commands) {
      const script = `set -euo pipefail\n. '${exports}'\n${commands}\nexport -p > '${exports}'\n`
      const output = await open(printed, 'w') // a process in the background would keep a pipe open
      const stdio = ['ignore' as const, output.fd, output.fd]
      const child = spawn('bash', ['-c', script], { cwd, stdio, detached: true })
      groups.push(child.pid!)
      const [code] = await once(child, 'exit')
      await output.close()
      const text = await readFile(printed, 'utf8')
      if (code !== 0) throw new Error(`this ended with ${code}:\n${commands}\n${text}`)
      return text
    },
    close: () => groups.forEach(endGroup),
  }
}

function endGroup(group: number): void {
  try {
    process.kill(-group)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // all of it has ended
  }
}

export const exportsOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('\n')
