// The data folder: everything a local installation keeps. Guarantee: the process that has opened it is its only user
// until it ends, however it ends; secrets in it are readable only by their owner and are replaced completely or not at
// all.

import { randomBytes } from 'node:crypto'
import { chown, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { wholeMasterKey } from '../node/settings.ts'
import { diskFull, ExitError } from './exit-error.ts'
import { ownerOf } from './system-user.ts'

export interface DataFolder {
  path: string
  release(): void
}

export async function openDataFolder(path: string): Promise<DataFolder> {
  const wanted = resolve(path)
  // Root runs PostgreSQL as another user, who must be able to traverse the folder but not to read the files in it.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await mkdir(wanted, { recursive: true, mode }).catch(error => {
    const full = diskFull(error, wanted)
    if (full !== undefined) throw full
    throw new ExitError(
      'data_folder_unusable',
      `cannot make the data folder ${wanted}: ${error.message}. Set ASSAY_DATA_DIR to a folder you may write to.`,
    )
  })
  const real = await realpath(wanted)
  return { path: real, release: lock(real) }
}

// Node has no file locks; the kernel releases SQLite's exclusive lock when the process ends.
function lock(folder: string): () => void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
    database.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database?.close()
    const full = diskFull(error, folder)
    if (full !== undefined) throw full
    const busy = /locked|busy/i.test(String(error))
    throw new ExitError(
      busy ? 'data_folder_in_use' : 'data_folder_unusable',
      busy
        ? `another start is using the data folder ${folder}. Stop it first, or set ASSAY_DATA_DIR and PORT for a second stack.`
        : `cannot write to the data folder ${folder}: ${error}. It may belong to another user; set ASSAY_DATA_DIR to one of your own.`,
    )
  }
  const held = database
  return () => held.close()
}

/** Returns undefined when there is no such file. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new ExitError(
      'data_folder_unusable',
      `${path} is not JSON. Restore it, or move it away to begin anew.`,
    )
  }
}

/**
 * Replaces a file atomically: a crash leaves either the old file or the new one. A file that is the same already stays,
 * so that a start needs no room on a full disk.
 *
 * @throws ExitError `disk_full`
 */
export async function writePrivately(path: string, text: string): Promise<void> {
  const owner = await ownerOf(dirname(path))
  if (await isSame(path, text, owner?.uid)) return
  const next = `${path}.${process.pid}.new`
  try {
    await writeFile(next, text, { mode: 0o600, flush: true })
    if (owner !== undefined) await chown(next, owner.uid, owner.gid)
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw diskFull(error, dirname(path)) ?? error
  }
}

async function isSame(path: string, text: string, uid = process.getuid?.()): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isFile() || (found.mode & 0o777) !== 0o600 || found.uid !== uid) return false
  return (await readFile(path, 'utf8')) === text
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  await writePrivately(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** Returns the operator's credential, created at the first start; the command line reads it from the folder. */
export async function operatorKeyIn(folder: string): Promise<string> {
  const file = join(folder, 'operator.key')
  const known = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (known !== '') return known
  const key = randomBytes(32).toString('hex')
  await writePrivately(file, `${key}\n`)
  return key
}

const keyFileIn = (folder: string) => join(folder, 'master.key')

/** Returns the master key, if there is one; ASSAY_MASTER_KEY overrides the file. */
export async function knownMasterKey(folder: string, given: string | undefined): Promise<string | undefined> {
  const file = keyFileIn(folder)
  const known = given ?? (await readFile(file, 'utf8').catch(() => undefined))?.trim()
  if (known === undefined) return undefined
  return wholeMasterKey(known, given === undefined ? file : 'ASSAY_MASTER_KEY')
}

/** Writes the master key where there is none; by default 32 random bytes in hex. */
export async function writeMasterKey(folder: string, key = randomBytes(32).toString('hex')): Promise<string> {
  await writePrivately(keyFileIn(folder), `${key}\n`)
  return key
}
