// The backup functions that the command line uses.

import {
  endHold,
  type InstallationRow,
  readInstallationRow,
} from '../../shared/accounts/queries/installation.ts'
import type { Sql } from '../../shared/context.ts'
import { sayFault, storeFault } from '../../shared/kernel/store-errors.ts'
import { fingerprintOf } from '../../shared/upkeep/rules/master-key.ts'
import { ExitError } from '../local/exit-error.ts'
import { refusalOfSchema, refusalOf as refusalOfStore } from '../node/store-errors.ts'
import { type Database, openSession } from './database.ts'
import type { Header } from './format.ts'
import type { Place } from './place.ts'

export { writeMasterKey } from '../local/data-folder.ts'
export { backup } from './backup.ts'
export { checkBackup } from './format.ts'
export { masterKeyAt, openPlace, stackOf } from './place.ts'
export { restore } from './restore.ts'
export { placeIn, prune } from './rotation.ts'
export { judgeOrigin } from './signature.ts'

/** The error for a fault that a person can fix; undefined for any other error. */
export function refusalOf(error: unknown): ExitError | undefined {
  const refusal = refusalOfStore(error) ?? refusalOfSchema(error)
  if (refusal !== undefined) return refusal
  const passing = storeFault(error, 'DATABASE') // nobody waits for it here
  if (passing !== undefined) return new ExitError(passing.code, sayFault('DATABASE', passing))
  const { code, message } = error as NodeJS.ErrnoException
  if (
    ['ECONNREFUSED', 'ENOTFOUND', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED'].includes(
      code ?? '',
    )
  )
    return new ExitError(
      'postgres_unreachable',
      `PostgreSQL does not answer: ${message}. Is DATABASE_URL right?`,
    )
  return undefined
}

/** What happens to the master key of a restored installation. */
export interface KeyPlan {
  state: 'restored' | 'there' | 'wanted'
  /** The key to write next to the data. */
  write?: string
  text: string
}

/** @throws ExitError `master_key_differs` */
export async function keyFor(place: Place, header: Header): Promise<KeyPlan> {
  const { key_fingerprint: wanted, master_key } = header
  const given = place.masterKey === undefined ? undefined : await fingerprintOf(place.masterKey)
  if (given !== undefined && wanted !== null && given !== wanted) {
    throw new ExitError(
      'master_key_differs',
      `the backup was sealed under another master key (${wanted}) than the one at hand (${given}; ASSAY_MASTER_KEY or ${place.dataDir}/master.key). Nothing was changed: bring that key, or restore into a new data folder.`,
    )
  }
  if (given !== undefined) return { state: 'there', text: 'Its master key is at hand.' }
  if (master_key !== undefined) {
    return {
      state: 'restored',
      write: master_key,
      text: `Its master key was in the file and is in ${place.dataDir}/master.key now.`,
    }
  }
  return {
    state: 'wanted',
    text: `Its master key (fingerprint ${wanted ?? 'none'}) was not in the file: put it into ${place.dataDir}/master.key or ASSAY_MASTER_KEY before the first start, which is refused without it.`,
  }
}

export const stateOf = (database: Database): Promise<InstallationRow> =>
  withSession(database, readInstallationRow)
export const goOn = (database: Database): Promise<Date | null> => withSession(database, endHold)

async function withSession<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openSession(database)
  try {
    return await work(sql as unknown as Sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
