// Every bound of the system, by its name: sizes, counts, times, retries. Units are the last word of a name.

import { INPUT_LIMITS } from './limits/input.ts'
import { OUTSIDE_LIMITS } from './limits/outside.ts'
import { READING_LIMITS } from './limits/reading.ts'
import { WORK_LIMITS } from './limits/work.ts'

export const LIMITS = { ...INPUT_LIMITS, ...READING_LIMITS, ...WORK_LIMITS, ...OUTSIDE_LIMITS } as const
