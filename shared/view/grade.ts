// By which rules answers were graded, in words.

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
