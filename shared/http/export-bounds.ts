// Bounds what exports take from everybody else. Guarantee: this process has so many open at once, of one account and
// altogether, and however many are open, most connections for reads are left to short ones.

import { ApiError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { gate } from '../kernel/gate.ts'

/** What an export reads goes through here. */
export const exportRead = gate(LIMITS.result_reads)

const open = new Map<string, number>()
let total = 0

/** Returns what is to be called when the export has ended. @throws ApiError `rate_limited` */
export function beginExport(account_id: string): () => void {
  const own = open.get(account_id) ?? 0
  if (own >= LIMITS.result_streams_per_account || total >= LIMITS.result_streams)
    throw new ApiError(
      'rate_limited',
      `${own >= LIMITS.result_streams_per_account ? `This account has ${own} exports open` : 'Too many exports are open'}.`,
      'Let one of them end, then ask again.',
      RETRY_S,
    )
  open.set(account_id, own + 1)
  total++
  return () => {
    total--
    const left = open.get(account_id)! - 1
    if (left > 0) open.set(account_id, left)
    else open.delete(account_id)
  }
}

const RETRY_S = 10
