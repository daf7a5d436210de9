// Finds the installation to back up or to restore to: the database of DATABASE_MIGRATE_URL (row security hides rows
// from a role that does not own them) or DATABASE_URL, else that of a data folder, whether or not its stack runs.

import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { shellWord } from '../../shared/kernel/shell-word.ts'
import { knownMasterKey, openDataFolder } from '../local/data-folder.ts'
import { ExitError } from '../local/exit-error.ts'
import { readRemembered, urlOf } from '../local/remembered.ts'
import { migrationTarget, readSettings } from '../node/settings.ts'
import type { Database } from './database.ts'

export interface Place extends AsyncDisposable {
  database: Database
  /** A name for people, without a password. */
  name: string
  /** The folder that has, or would have, its master key. */
  dataDir: string
  /** Undefined where no key is available. */
  masterKey: string | undefined
}

export interface Where {
  env: Record<string, string | undefined>
  /** The folder that the command was called in. */
  folder: string
}

const CHECKOUT = join(import.meta.dirname, '../..')

/** Opens an empty place to `fill`, or an installation to `read`. @throws ExitError */
export async function openPlace(where: Where, purpose: 'read' | 'fill'): Promise<Place> {
  const settings = readSettings(where.env)
  const dataDir = dataFolderOf(where)
  const masterKey = await knownMasterKey(dataDir, where.env.ASSAY_MASTER_KEY || undefined)
  const close = async () => {}
  const from = (['DATABASE_MIGRATE_URL', 'DATABASE_URL'] as const).find(
    name => settings.get(name) !== undefined,
  )
  if (from !== undefined) {
    return {
      database: migrationTarget(settings),
      name: `the database of ${from}`,
      dataDir,
      masterKey,
      [Symbol.asyncDispose]: close,
    }
  }
  const { database, [Symbol.asyncDispose]: stop } = await ownDatabase(dataDir, purpose)
  return { database, name: dataDir, dataDir, masterKey, [Symbol.asyncDispose]: stop }
}

/** The checkout in which `npm start` runs, and its data folder. */
export const stackOf = (where: Where) => ({ checkout: resolve(CHECKOUT), dataDir: dataFolderOf(where) })

/** The master key of a place, before anything of it is opened. */
export const masterKeyAt = (where: Where): Promise<string | undefined> =>
  knownMasterKey(dataFolderOf(where), where.env.ASSAY_MASTER_KEY || undefined)

/** The data folder that `npm start` would choose. A folder that merely lies here may be anybody's, and is not used. */
function dataFolderOf({ env, folder }: Where): string {
  if (env.ASSAY_DATA_DIR) return resolve(folder, env.ASSAY_DATA_DIR)
  const own = join(CHECKOUT, '.assay')
  const here = join(folder, '.assay')
  if (env.DATABASE_URL || env.DATABASE_MIGRATE_URL || !existsSync(here) || isSame(here, own)) return own
  throw new ExitError(
    'data_folder_not_named',
    `${here} is used only where it is named: ASSAY_DATA_DIR=${shellWord(here)}`,
  )
}

const isSame = (a: string, b: string) => existsSync(b) && realpathSync(a) === realpathSync(b)

/** The database of a data folder, started for as long as needed unless its stack runs already. */
async function ownDatabase(
  dataDir: string,
  purpose: 'read' | 'fill',
): Promise<{ database: Database } & AsyncDisposable> {
  const known = existsSync(dataDir) ? await readRemembered(dataDir) : undefined
  if (purpose === 'read' && known === undefined) {
    throw new ExitError(
      'no_installation',
      `${dataDir} holds no installation. Set ASSAY_DATA_DIR to the data folder of one, or DATABASE_URL to its database.`,
    )
  }
  const dataFolder = await openDataFolder(dataDir).catch(error => {
    if (purpose === 'read' && error instanceof ExitError && error.code === 'data_folder_in_use')
      return undefined
    throw error
  })
  if (dataFolder === undefined) {
    return { database: { url: urlOf(known!) }, [Symbol.asyncDispose]: async () => {} }
  }
  try {
    const { startPostgres } = await import('../local/postgres.ts')
    const store = await startPostgres({ dataDir: dataFolder.path })
    return {
      database: { url: store.url },
      [Symbol.asyncDispose]: async () => {
        await store.stop()
        dataFolder.release()
      },
    }
  } catch (error) {
    dataFolder.release()
    throw error
  }
}
