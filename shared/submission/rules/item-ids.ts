// Finds item ids that occur twice in a submission: within a run each names one item. Guarantee: remembering them takes
// bounded memory, however long the submission is.

import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'

export interface RepeatedId {
  item_id: string
  first_line: number
  second_line: number
}

export function duplicateIds(repeated: readonly RepeatedId[]): ApiError {
  const named = repeated.map(
    r => `item_id ${JSON.stringify(r.item_id)} is on lines ${r.first_line} and ${r.second_line}`,
  )
  return new ApiError(
    'duplicate_item_id',
    `Nothing was accepted: ${named.join('; ')}.`,
    'Within a run an item_id names one item.',
  )
}

/** Item ids seen so far, up to a bound that keeps memory constant; beyond it PostgreSQL finds the repeats. */
export class SeenIds {
  #lines = new Map<string, number>()
  overflowed = false

  /** The line that had the id before, if one is known. */
  add(id: string, line: number): number | undefined {
    if (this.overflowed) return undefined
    const earlier = this.#lines.get(id)
    if (earlier !== undefined) return earlier
    if (this.#lines.size >= LIMITS.duplicate_ids_in_memory) {
      this.overflowed = true
      this.#lines.clear()
    } else this.#lines.set(id, line)
    return undefined
  }
}
