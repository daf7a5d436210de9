// The parts that one process runs: all of them, or those that ASSAY_PARTS names.

import { invalid } from '../local/exit-error.ts'
import type { Settings } from './settings.ts'

export const PARTS = ['api', 'consumer', 'tick'] as const
export type Part = (typeof PARTS)[number]

/** @throws ExitError naming the unknown parts */
export function partsFrom(settings: Settings): Part[] {
  const named = settings.list('ASSAY_PARTS') ?? [...PARTS]
  const unknown = named.filter(name => !PARTS.includes(name as Part))
  if (unknown.length === 0) return named as Part[]
  throw invalid(`ASSAY_PARTS: ${unknown.join(', ')} is not one of ${PARTS.join(', ')}.`)
}
