// A migration that comes after all others, in a folder as drizzle-kit writes it.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempFolder } from './temp-folder.ts'

/** `nth` orders several of them. */
export async function nextMigration(statements: string, nth = 0) {
  const folder = await tempFolder()
  const entry = { idx: 0, version: '7', when: Date.now() * 2 + nth, tag: 'next', breakpoints: true }
  await mkdir(join(folder.path, 'meta'))
  const journal = { version: '7', dialect: 'postgresql', entries: [entry] }
  await writeFile(join(folder.path, 'meta/_journal.json'), JSON.stringify(journal))
  await writeFile(join(folder.path, 'next.sql'), statements)
  return folder
}
