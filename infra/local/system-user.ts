// PostgreSQL refuses to run as root. Started by root, it runs as a system user that owns nothing else; this says who
// that is and which folders are open to it.

import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Owner } from './child.ts'
import { ExitError } from './exit-error.ts'

const NAME = 'assay'

/** Undefined when this process is not root: the stores then run as whoever started it. */
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
  // Asked for in any case: another start may have been first.
  return lookUp(NAME)
}

function lookUp(name: string): Owner | undefined {
  const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, name], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** Whether the user can reach and enter a folder, or run a file, as the kernel sees it. */
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

/** Whom root must stand in for when it uses a folder of somebody else's, so that he can use it again. */
export async function ownerOf(folder: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(folder)
  return uid === 0 ? undefined : { uid, gid }
}
