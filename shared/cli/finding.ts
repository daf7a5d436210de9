// What a check-up finds. A check that cannot be made is no failure of what it would have checked.

import { ApiFailure } from '../sdk/client.ts'
import { asFailure } from './api.ts'

export interface Finding {
  check: string
  /** `unknown` where it cannot be told from here. */
  state: 'ok' | 'wrong' | 'unknown'
  found: string
  /** What to do about it, or how to find out. */
  mend?: string
}

/** Of what is due, a moment ago is not late: the tick comes every second, on platforms every minute. */
export const LATE_S = 120

export interface Refused {
  refused: string
  /** What to do where it was not Assay that refused. */
  elsewhere: string | undefined
}

export async function tried<T>(work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work()
  } catch (error) {
    const failure = asFailure(error)
    if (failure === undefined) throw error
    const isOther = error instanceof ApiFailure && error.answered_by !== undefined
    return {
      refused: `${failure.code}: ${failure.message}`,
      elsewhere: isOther ? failure.hint : undefined,
    }
  }
}
