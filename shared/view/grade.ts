// Words for the rules that answers were graded by, what differs, and what could not be graded again.

import type { GradeRules, RegradeChange } from '../grading/rules/regrade.ts'
import { counted } from '../prices/rules/amounts.ts'

/** With the agent's version, where the rules are declared. */
export interface AgentRules extends GradeRules {
  agent: string | null
  version: number | null
}

/** @example 'refusals sure, no checks (agent triage v3)' */
export function sayRules({ agent, version, refusals, checks, language }: AgentRules): string {
  const rules = `refusals ${refusals}, ${checks.length === 0 ? 'no checks' : `checks ${checks.join(', ')}`}`
  const all = language === null ? rules : `${rules}, answers in ${language}`
  return agent === null ? all : `${all} (agent ${agent}${version === null ? '' : ` v${version}`})`
}

/** Undefined if nothing differs. @example '2 items and 3 calls differ' */
export function sayDiffering(changes: readonly RegradeChange[]): string | undefined {
  if (changes.length === 0) return undefined
  const sums = { item: 0, call: 0 }
  for (const { of, count } of changes) sums[of] += count
  return `${counted(sums.item, 'item')} and ${counted(sums.call, 'call')} differ`
}

/** @example '2 calls stay as they were: …' */
export const sayLeft = (calls: number): string =>
  `${counted(calls, 'call')} ${calls === 1 ? 'stays as it was' : 'stay as they were'}: an agent reported the answer, or it or its prompt was too long to keep`
