// Findings of a check-up. A check that cannot be made does not count as a failure of the thing checked.

import { ApiFailure } from '../sdk/client.ts'
import { asFailure } from './api.ts'

export interface Finding {
  check: string
  /** `unknown` if the check cannot be made from here. */
  state: 'ok' | 'wrong' | 'unknown'
  found: string
  /** What to do about it, or how to find out. */
  fix?: string
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
export const wrong = (check: string, found: string, fix?: string): Finding =>
  fix === undefined ? { check, state: 'wrong', found } : { check, state: 'wrong', found, fix }
export const unknown = (check: string, found: string, fix?: string): Finding =>
  fix === undefined ? { check, state: 'unknown', found } : { check, state: 'unknown', found, fix }

/** Work that was due less than this ago is not late: the tick runs every second, on platforms every minute. */
export const LATE_S = 120

export interface Refused {
  refused: string
  /** What to do, if something other than Assay refused. */
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
