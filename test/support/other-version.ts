// The files of another version from the history of this clone, with the packages of this one.

import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from './stack.ts'
import { tempFolder } from './temp-folder.ts'

export const git = (...args: string[]) =>
  execFileSync('git', ['-C', CHECKOUT, ...args], { encoding: 'utf8' }).trim()

/** Why this clone has no such version; undefined if it has it. */
export function whyMissing(version: string): string | undefined {
  try {
    git('rev-parse', '--verify', '--quiet', `${version}^{commit}`)
    return undefined
  } catch {
    const isShallow = git('rev-parse', '--is-shallow-repository') === 'true'
    const advice = isShallow ? 'the clone is shallow: git fetch --unshallow --tags' : 'git fetch --tags'
    return `commit ${version}, the version before, is not in this clone (${advice})`
  }
}

export const isClone = (): boolean => existsSync(join(CHECKOUT, '.git'))

/** A checkout of that version. */
export async function checkoutOf(version: string): Promise<{ path: string } & AsyncDisposable> {
  const parts = new AsyncDisposableStack()
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const path = join(folder.path, 'before')
  git('worktree', 'add', '--detach', path, version)
  parts.defer(() => void git('worktree', 'remove', '--force', path))
  symlinkSync(join(CHECKOUT, 'node_modules'), join(path, 'node_modules'))
  return { path, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}
