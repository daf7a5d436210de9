// Fingerprints master keys, and words the error for a key that is not the one an installation was sealed under.

import { derivedKey, toHex } from '../../kernel/secrets.ts'

const FINGERPRINT_CHARACTERS = 16 // 64 bits: enough to distinguish keys, nothing to find one by

/** Identifies a master key without revealing it. */
export async function fingerprintOf(masterKey: string): Promise<string> {
  return toHex(await derivedKey(masterKey, 'fingerprint')).slice(0, FINGERPRINT_CHARACTERS)
}

/** The fingerprints of the key that is required and of the different one that was given. */
export interface OtherKey {
  wanted: string
  given: string
}

export const sayOtherKey = ({ wanted, given }: OtherKey): string =>
  `the master key is another (fingerprint ${given}) than the one this installation was sealed under (${wanted}). Start it with that one: ASSAY_MASTER_KEY, or master.key in the data folder. If it is lost for good, infra/docs/backup.md says what is lost with it.`
