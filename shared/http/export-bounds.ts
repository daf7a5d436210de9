// Limits how many exports are open at once. Guarantee: this process has a bounded number open, for each account and in
// total; each read of an export takes its turn among heavy reads.

import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import { Pool } from '../kernel/pool.ts'

const exportsOpen = new Pool(
  { size: LIMITS.result_streams, share: LIMITS.result_streams_per_account },
  'exports',
)

/** `make` calls its argument once the export has ended, unless it fails. @throws ApiError `rate_limited` */
export async function exporting(account_id: string, make: (ended: () => void) => Promise<Response>) {
  const ended = beginExport(account_id)
  try {
    return await make(ended)
  } catch (error) {
    ended()
    throw error
  }
}

function beginExport(account_id: string): () => void {
  const giveBack = exportsOpen.tryTake(account_id, 1)
  if (giveBack === undefined)
    throw new ApiError(
      'rate_limited',
      `${exportsOpen.heldBy(account_id) >= LIMITS.result_streams_per_account ? `This account has ${LIMITS.result_streams_per_account} exports open` : 'Too many exports are open'}.`,
      'Let one of them end, then ask again.',
      RETRY_S,
    )
  return giveBack
}

const RETRY_S = 10
