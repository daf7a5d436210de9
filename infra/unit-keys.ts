// Prints the key sets that units get instead of the master key, one per line, as input for files of secrets:
// ASSAY_KEYS_TICK=source=…,signing=…. The same master key always gives the same lines.
// Usage: ASSAY_MASTER_KEY=… node infra/unit-keys.ts

import { keySet } from '../shared/kernel/secrets.ts'
import { readSettings } from './node/settings.ts'
import { KEY_SETS, type KeySet, keySecretOf } from './unit-settings.ts'

/** Returns every key set, by the name of its secret. */
export async function unitKeys(masterKey: string): Promise<Record<string, string>> {
  const sets = Object.entries(KEY_SETS) as [KeySet, (typeof KEY_SETS)[KeySet]][]
  const named = sets.map(async ([set, purposes]) => [keySecretOf(set), await keySet(masterKey, purposes)])
  return Object.fromEntries(await Promise.all(named))
}

if (import.meta.main) {
  const keys = await unitKeys(readSettings(process.env).need('ASSAY_MASTER_KEY'))
  for (const [name, text] of Object.entries(keys)) console.log(`${name}=${text}`)
}
