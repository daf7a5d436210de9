// What a process asks of the installation before it takes part in it.

import type { Sql } from '../../shared/context.ts'
import { readInstallationRow } from '../../shared/upkeep/queries/installation.ts'
import { sayOtherKey } from '../../shared/upkeep/rules/master-key.ts'
import { checkMasterKey, needsItsKey } from '../../shared/upkeep/verbs/installation.ts'
import { openSession } from '../backup/database.ts'
import { Refusal } from '../local/refusal.ts'

/** Since when the installation is held, null where it is not. @throws Refusal `master_key_differs` */
export async function joinInstallation(sql: Sql, masterKey: string): Promise<Date | null> {
  const other = await checkMasterKey(sql, masterKey)
  if (other === undefined) return (await readInstallationRow(sql)).held_since
  throw new Refusal('master_key_differs', sayOtherKey(other))
}

/** Whether the database holds what only its own master key opens. */
export async function needsKeyOf(url: string, ca: string | undefined): Promise<boolean> {
  const sql = openSession({ url, ca })
  try {
    return await needsItsKey(sql as unknown as Sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
