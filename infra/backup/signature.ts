// Signs backups and decides whether a file may be restored here. Guarantee: a file is trusted only by a key that was
// here before it, never by one that came with it.

import { createHmac } from 'node:crypto'
import { derivedKey, sameBytes } from '../../shared/kernel/secrets.ts'
import { fingerprintOf } from '../../shared/upkeep/rules/master-key.ts'
import { ExitError } from '../local/exit-error.ts'
import type { Checked, Trailer } from './format.ts'

/** The hash within it covers the header and all rows. */
export async function signatureOf(masterKey: string, { rows, bytes, sha256 }: Trailer): Promise<string> {
  const key = await derivedKey(masterKey, 'backup')
  return createHmac('sha256', key).update(JSON.stringify({ rows, bytes, sha256 })).digest('hex')
}

export interface Judge {
  /** The master key of the place that restores; undefined where there is none. */
  masterKey: string | undefined
  /** Whether the caller accepts a file whose writer is not known. */
  unsigned: boolean
}

const RISK =
  'whoever wrote it may have put in owners, keys and agents of their own: only if you know where it has been, add --unsigned.'

/**
 * Whether the signature is that of the key at hand; false is returned for an unsigned file that is accepted.
 * @throws ExitError `backup_unsigned`, `backup_foreign`, `backup_forged`
 */
export async function judgeOrigin({ header, trailer }: Checked, by: Judge): Promise<boolean> {
  const { masterKey, unsigned } = by
  if (trailer.signature === undefined || masterKey === undefined) {
    if (unsigned) return false
    const why =
      trailer.signature === undefined
        ? `it bears no signature. ${RISK}`
        : `it is signed, and there is no master key here to verify it with. Bring the key of its installation, in ASSAY_MASTER_KEY or master.key of the data folder. Without it ${RISK}`
    throw new ExitError(
      'backup_unsigned',
      `nothing was restored: it is not known who wrote this file, as ${why}`,
    )
  }
  const given = await fingerprintOf(masterKey)
  if (header.signed_by !== given) {
    throw new ExitError(
      'backup_foreign',
      `nothing was restored: the backup is signed under another master key (${header.signed_by ?? 'it does not say which'}) than the one at hand (${given}). Bring the key of its installation, in ASSAY_MASTER_KEY or master.key of the data folder.`,
    )
  }
  const [there, wanted] = [trailer.signature, await signatureOf(masterKey, trailer)]
  if (sameBytes(Buffer.from(there, 'hex'), Buffer.from(wanted, 'hex'))) return true
  throw new ExitError(
    'backup_forged',
    'nothing was restored: the file is whole, but it is not what this master key signed. Somebody changed it after it was written; use another backup, and ask who could write to where this one lay.',
  )
}
