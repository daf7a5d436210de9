// By which rules answers were graded, in words.

export interface GradeRules {
  agent: string | null
  version: number | null
  refusals: string
  checks: readonly string[]
}

/** @example 'refusals sure, no checks (agent triage v3)' */
export function sayRules({ agent, version, refusals, checks }: GradeRules): string {
  const rules = `refusals ${refusals}, ${checks.length === 0 ? 'no checks' : `checks ${checks.join(', ')}`}`
  return agent === null ? rules : `${rules} (agent ${agent}${version === null ? '' : ` v${version}`})`
}
