// Decides whether a data folder that the command came upon may name a server and its key. Guarantee: a folder that
// nobody named counts only if it is this user's own, nobody else can write to it, and it did not come with a repository.

import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const OTHERS_WRITE = 0o022

/** Whether a folder is this user's, and nobody else can write to it. */
export function isOwn(folder: string): boolean {
  const user = process.getuid?.()
  const { uid, mode } = statSync(folder)
  return user === undefined || (uid === user && (mode & OTHERS_WRITE) === 0)
}

/** Why the `local.json` of a found folder does not count; undefined where it does. */
export function whyNotTrusted(folder: string): string | undefined {
  const user = process.getuid?.()
  const places = [lstatSync(folder), statSync(folder), statSync(join(folder, 'local.json'))]
  if (user !== undefined && places.some(({ uid }) => uid !== user)) return 'it belongs to another user'
  // The mode of a link says nothing: whoever may change it may write to the folder that it is in.
  if (user !== undefined && places.slice(1).some(({ mode }) => (mode & OTHERS_WRITE) !== 0))
    return 'others can write to it'
  const real = realpathSync(folder)
  return [folder, real].some(cameWithRepository) ? 'it came with a repository' : undefined
}

/**
 * Whether git could take the folder, or one above it up to the repository's, for a repository without a work tree: such a one
 * inside another tracks nothing, whatever the outer one tracks there.
 */
const mayBeBare = (folder: string): boolean =>
  existsSync(join(folder, 'HEAD')) ||
  (!existsSync(join(folder, '.git')) && dirname(folder) !== folder && mayBeBare(dirname(folder)))

const hasRepository = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (dirname(folder) !== folder && hasRepository(dirname(folder)))

/**
 * Whether git tracks anything of the folder. A repository that git itself does not trust counts as somebody else's. Git
 * runs nothing that the repository's own configuration names.
 */
function cameWithRepository(folder: string): boolean {
  const above = dirname(folder)
  if (!hasRepository(above)) return false
  if (mayBeBare(above)) return true
  const safe = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.untrackedCache=false']
  const args = [...safe.flatMap(setting => ['-c', setting]), '--no-optional-locks', 'ls-files', '-z', '--']
  const { error, status, stdout } = spawnSync('git', [...args, folder], {
    cwd: above,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_NO_LAZY_FETCH: '1',
    },
  })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return false // and so nobody cloned here
  return status !== 0 || stdout !== ''
}
