// Finds what keeps this process from working although PostgreSQL answers: the schema, the rights of its role, its
// master key. Guarantee: it changes nothing, and needs no rights.

import { readInstallationId, readInstallationRow } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { type Fault, faultsOf, type RoleState } from '../rules/faults.ts'
import { fingerprintOf } from '../rules/master-key.ts'
import { readRoleState } from './running-role.ts'

export interface DatabaseState {
  faults: Fault[]
  /** Of the installation; null if its row cannot be read. */
  installation_id: string | null
  held_since: Date | null
  /** Whether a consumer holds items. */
  is_anything_held: boolean
}

/** `masterKey` is empty if none was given; `known` is the state of the role, which is queried if absent. */
export async function readDatabaseState(
  sql: Sql,
  masterKey: string,
  known?: RoleState,
): Promise<DatabaseState> {
  const role = known ?? (await readRoleState(sql))
  const faults = faultsOf(role)
  if (faults.length > 0) return { faults, installation_id: null, held_since: null, is_anything_held: false }
  const given = masterKey === '' ? null : await fingerprintOf(masterKey).catch((error: Error) => error)
  // One after the other: without an idle connection, the driver queues a query behind one that may wait for a row.
  const installation = await readInstallationRow(sql)
  const [claims] = await sql<{ held: boolean }[]>`select exists (select 1 from claims) as held`
  return {
    faults: faultsOf(role, { wanted: installation.key_fingerprint, given }),
    installation_id: await readInstallationId(sql),
    held_since: installation.held_since,
    is_anything_held: claims!.held,
  }
}
