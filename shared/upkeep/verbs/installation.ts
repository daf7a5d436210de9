// Checks the master key of a process that starts. Guarantee: no process works on data that another master key sealed,
// and no new key is made next to existing data.

import { hasAccounts, keepFingerprint, readInstallationRow } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { fingerprintOf, type OtherKey, sayOtherKey } from '../rules/master-key.ts'

/** Stores the fingerprint of the first key. Returns both fingerprints if this key is another one. */
export async function checkMasterKey(sql: Sql, masterKey: string): Promise<OtherKey | undefined> {
  const given = await fingerprintOf(masterKey)
  const wanted = await keepFingerprint(sql, given)
  return wanted === given ? undefined : { wanted, given }
}

/** What a host knows of the installation; it outlives connections and contexts. */
export interface Joined {
  asked?: { other: OtherKey | undefined }
}

/** Checks once, and again if PostgreSQL did not answer. @throws MasterKeyDiffers */
export async function join(sql: Sql, masterKey: string, joined: Joined): Promise<void> {
  joined.asked ??= { other: await checkMasterKey(sql, masterKey) }
  if (joined.asked.other !== undefined) throw new MasterKeyDiffers(joined.asked.other)
}

export class MasterKeyDiffers extends Error {
  constructor(other: OtherKey) {
    super(sayOtherKey(other))
    this.name = 'MasterKeyDiffers'
  }
}

/** Whether the existing master key must be supplied: a new one could open nothing that is stored here. */
export async function needsItsKey(sql: Sql): Promise<boolean> {
  const { key_fingerprint } = await readInstallationRow(sql)
  return key_fingerprint !== null || (await hasAccounts(sql))
}
