// Finds the user that PostgreSQL runs as. It refuses to run as root, so root starts it as a system user that owns
// nothing else; this module also says which folders that user can reach.

import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Owner } from './child.ts'
import { ExitError } from './exit-error.ts'

const NAME = 'assay'

/** Returns undefined when this process is not root: the stores then run as its own user. */
export function systemUser(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const found = lookUp(NAME) ?? make() ?? lookUp('postgres') ?? lookUp('nobody')
  if (found !== undefined) return found
  throw new ExitError(
    'no_system_user',
    `PostgreSQL must not run as root, and no user for it could be made. Run "useradd --system ${NAME}", or start as another user.`,
  )
}

function make(): Owner | undefined {
  const shell = ['--no-create-home', '--shell', '/usr/sbin/nologin']
  spawnSync('useradd', ['--system', '--user-group', ...shell, NAME], { stdio: 'ignore' })
  // Looked up even if useradd failed: another start may have created it.
  return lookUp(NAME)
}

function lookUp(name: string): Owner | undefined {
  const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, name], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** Whether the user can reach and enter a folder, or run a file, according to the kernel. */
export function canReach(owner: Owner | undefined, path: string): boolean {
  if (owner !== undefined) {
    const env = { PATH: '/usr/bin:/bin' }
    return spawnSync('test', ['-x', path], { ...owner, cwd: '/', stdio: 'ignore', env }).status === 0
  }
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The owner that root must give new files to in another user's folder, so that this user can use it again. */
export async function ownerOf(folder: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(folder)
  return uid === 0 ? undefined : { uid, gid }
}
