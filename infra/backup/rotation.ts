// Keeps a folder of backups for cron. Guarantee: an old backup is removed only when a newer complete one exists.

import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = /^assay-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/
/** The file that a killed backup leaves behind. */
const CUT_OFF = /^assay-.*\.backup\.part$/
/** No backup takes this long, so an older partial file is abandoned. */
const CUT_OFF_AFTER_MS = 24 * 3600 * 1000

/** The name of a backup; names sort by time. */
export const nameAt = (at: Date) => `assay-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup`

export async function placeIn(folder: string, at: Date): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return join(folder, nameAt(at))
}

/** Removes all but the newest `keep` backups and returns the removed names. Call it once the newest is complete. */
export async function prune(folder: string, keep: number, now: Date): Promise<string[]> {
  const names = await readdir(folder)
  const old = names.filter(name => NAME.test(name)).sort()
  const gone = old.slice(0, Math.max(0, old.length - keep))
  for (const name of names.filter(name => CUT_OFF.test(name))) {
    const { mtimeMs } = await stat(join(folder, name))
    if (now.getTime() - mtimeMs > CUT_OFF_AFTER_MS) gone.push(name)
  }
  for (const name of gone) await rm(join(folder, name), { force: true })
  return gone
}
