// By which rules answers were graded, and what of them could not be, in words.

import { counted } from '../domain/amounts.ts'

export interface GradeRules {
  agent: string | null
  version: number | null
  refusals: string
  checks: readonly string[]
  language: string | null
}

/** @example 'refusals sure, no checks (agent triage v3)' */
export function sayRules({ agent, version, refusals, checks, language }: GradeRules): string {
  const rules = `refusals ${refusals}, ${checks.length === 0 ? 'no checks' : `checks ${checks.join(', ')}`}`
  const all = language === null ? rules : `${rules}, answers in ${language}`
  return agent === null ? all : `${all} (agent ${agent}${version === null ? '' : ` v${version}`})`
}

/** @example '2 calls stay as they were: …' */
export const sayLeft = (calls: number): string =>
  `${counted(calls, 'call')} ${calls === 1 ? 'stays as it was' : 'stay as they were'}: an agent told the answer, or it or its prompt was too long to keep`
