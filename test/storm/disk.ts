// A disk of the storm's own for both stores, which can be filled without filling the machine's. Guarantee: nothing
// stays mounted after `remove`.

import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BYTES = 3 * 2 ** 30 // a tmpfs takes memory only for what is written
/** PostgreSQL sometimes has 16 MiB of WAL preallocated: with less room than that it still writes for a moment. */
const LEFT_BYTES = 256 * 2 ** 10

export interface Disk {
  path: string
  /** Leaves hardly any room until the returned function is called; undefined if mounting is not permitted. */
  fill?: () => Promise<() => Promise<void>>
  remove(): Promise<void>
}

export async function makeDisk(): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-storm-'))
  await chmod(folder, 0o755) // under root PostgreSQL runs as another user
  const path = join(folder, 'disk')
  await mkdir(path, { mode: 0o755 })
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  const resize = (bytes: number) => run('mount', ['-o', `remount,size=${bytes}`, path])
  const isMounted = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${BYTES},mode=755`,
    'assay-storm',
    path,
  ]).then(
    () => true,
    () => false,
  )
  if (!isMounted) return { path, remove }
  return {
    path,
    async fill() {
      const { blocks, bfree, bsize } = await statfs(path)
      await resize((blocks - bfree) * bsize + LEFT_BYTES)
      return async () => void (await resize(BYTES))
    },
    async remove() {
      await run('umount', ['--lazy', path])
      await remove()
    },
  }
}
