// A disk of a few hundred megabytes that a test can fill. It is a tmpfs, which needs the right to mount one.

import { spawnSync } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export interface SmallDisk extends TempFolder {
  /** Fills it until not a byte is left. */
  fill(): Promise<void>
  /** Removes what `fill` wrote. */
  empty(): Promise<void>
  freeBytes(): Promise<number>
}

const PIECE = Buffer.alloc(2 ** 20)
/** The smallest unit that a file system allocates. */
const BLOCK = Buffer.alloc(4096)

/** Undefined if this user may not mount. */
export async function smallDisk(mebibytes: number): Promise<SmallDisk | undefined> {
  const folder = await tempFolder()
  const options = `size=${mebibytes}m,mode=0711`
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder.path])
  if (mounted.status !== 0) {
    await folder.remove()
    return undefined
  }
  const ballast = join(folder.path, 'ballast')
  return {
    path: folder.path,
    async fill() {
      const file = await open(ballast, 'a')
      for (const piece of [PIECE, BLOCK]) {
        const write = async () => (await file.write(piece)).bytesWritten > 0
        while (await write().catch(() => false));
      }
      await file.close()
    },
    empty: () => rm(ballast, { force: true }),
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder.path)
      return bavail * bsize
    },
    async remove() {
      spawnSync('umount', ['-l', folder.path])
      await folder.remove()
    },
  }
}
