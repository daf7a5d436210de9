// Makes the folder of one agent process, for its sockets, and for its code and environment while it starts. Guarantee:
// only the user of the process can enter it, and a later start removes folders that a killed server left.

import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reachable } from './launch.ts'

const SOCKET_PATH_BYTES = 100 // the kernel takes 104 to 108, depending on the platform
const IN_TEMP = 'assay-agent-'

/**
 * Makes the folder in `dataDir`, or in the system's temporary folder if that path is too long or closed to the user.
 */
export async function privateFolder(dataDir: string, uid: number | undefined): Promise<string> {
  const parent = join(dataDir, 'runtime')
  await mkdir(parent, { recursive: true, mode: 0o711 })
  if (uid !== undefined) await chmod(parent, 0o711)
  const prefix = join(parent, `${process.pid}-`)
  const fits = Buffer.byteLength(`${prefix}XXXXXX/agent`) <= SOCKET_PATH_BYTES
  const usable = fits && (uid === undefined || reachable(parent))
  const folder = await mkdtemp(usable ? prefix : join(tmpdir(), `${IN_TEMP}${process.pid}-`))
  if (uid !== undefined) await chown(folder, uid, uid)
  return folder
}

export async function writePrivate(path: string, content: string, uid: number | undefined): Promise<void> {
  await writeFile(path, content, { mode: 0o600 })
  if (uid !== undefined) await chown(path, uid, uid)
}

/** Removes the folders of servers that are gone; each is named after the process id of its server. */
export async function removeAbandoned(dataDir: string): Promise<void> {
  const places = [
    { parent: join(dataDir, 'runtime'), name: /^(\d+)-/ },
    { parent: tmpdir(), name: new RegExp(`^${IN_TEMP}(\\d+)-`) },
  ]
  for (const { parent, name } of places) {
    for (const entry of await readdir(parent).catch(() => [])) {
      const owner = name.exec(entry)?.[1]
      const folder = join(parent, entry)
      if (!owner || !(await abandoned(folder, Number(owner)))) continue
      await rm(folder, { recursive: true, force: true }).catch(() => {})
    }
  }
}

async function abandoned(folder: string, owner: number): Promise<boolean> {
  if (owner !== process.pid) return !exists(owner)
  // In a container every server has the same process id, so ours are the folders made after we started.
  const { birthtimeMs } = await stat(folder).catch(() => ({ birthtimeMs: Number.POSITIVE_INFINITY }))
  return birthtimeMs < Date.now() - process.uptime() * 1000
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
