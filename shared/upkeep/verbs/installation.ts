// What a start asks of the installation it starts on. Guarantee: no process works on data that another master key
// sealed, and a key is never made beside data.

import { hasAccounts, keepFingerprint, readInstallationRow } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { fingerprintOf, type OtherKey, sayOtherKey } from '../rules/master-key.ts'

/** Keeps the fingerprint of the first key that comes. Returns both where the key is another than the first. */
export async function checkMasterKey(sql: Sql, masterKey: string): Promise<OtherKey | undefined> {
  const given = await fingerprintOf(masterKey)
  const wanted = await keepFingerprint(sql, given)
  return wanted === given ? undefined : { wanted, given }
}

/** What a host knows of the installation; it outlives a connection, and a context. */
export interface Joined {
  asked?: { other: OtherKey | undefined }
}

/** Asks once, and again where PostgreSQL did not answer. @throws MasterKeyDiffers */
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

/** Whether a master key must be brought along: one that is made now could open nothing of what is here. */
export async function needsItsKey(sql: Sql): Promise<boolean> {
  const { key_fingerprint } = await readInstallationRow(sql)
  return key_fingerprint !== null || (await hasAccounts(sql))
}
