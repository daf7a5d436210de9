// Folders for the data of one test. Those of a test run that was killed are removed by the next.

import { statfsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'assay-test-'
/** PostgreSQL waits for its disk at each commit and copies a database for each test file: in memory neither takes time. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 4 * 2 ** 30 // a container has 64 MiB there by default; a whole run takes about 1 GiB
const ROOT = process.env.TMPDIR === undefined && hasRoom(MEMORY) ? MEMORY : tmpdir()

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MEMORY_BYTES
  } catch {
    return false // not Linux
  }
}

export interface TempFolder {
  path: string
  remove(): Promise<void>
}

export async function tempFolder(): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(ROOT, `${PREFIX}${process.pid}-`)))
  await chmod(path, 0o711) // under root PostgreSQL runs as another user
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(ROOT)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (pid > 0 && !isAlive(pid)) await rm(join(ROOT, name), { recursive: true, force: true })
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Sends SIGKILL to all of them; one may have ended because another did. */
export function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
