// What new projects in every language have. Guarantee: no existing file is overwritten.

import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { LIMITS } from '../kernel/limits.ts'
import { usageFailure } from './failure.ts'

/** The folder in which a project keeps Assay's tarball so that other machines can install it. */
export const VENDOR = 'vendor'

/** @throws Failure `usage` naming what is there already */
export function refuseExisting(target: string, files: Record<string, string>): void {
  const there = Object.keys(files).filter(name => existsSync(join(target, name)))
  if (there.length > 0)
    throw usageFailure(`${target} has ${there.join(', ')} already`, {
      hint: 'nothing was written; name a folder of its own',
      next: 'assay init FOLDER',
    })
}

/** So that the project's own `npx --no assay` finds the stack of this checkout, also one that starts later. */
export async function linkStack(target: string, dataDir: string): Promise<void> {
  await symlink(dataDir, join(target, '.assay')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** The names of a project, after its folder. */
export function namesOf(target: string): { slug: string; name: string } {
  const words = basename(target)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const slug = words.join('-').slice(0, LIMITS.slug_characters).replace(/-$/, '') || 'my-agent'
  const name = slug.replaceAll('-', ' ')
  return { slug, name: name[0]!.toUpperCase() + name.slice(1) }
}
