// Says which versions of an agent made the steps that replays take over, and warns where these are others than the one that
// runs. Guarantee: pure; a version counts as another only if both are known.

import { LIMITS } from '../../kernel/limits.ts'
import { count, counted } from '../../prices/rules/amounts.ts'
import type { TriageAction } from '../../triage/vocabulary.ts'

/** By what an item ended: its deployment, and the number of the code that its answer named. */
export interface Maker {
  agent_id: string
  deployment_id: string | null
  /** UNNAMED if no answer of the agent had named its code by then; null if it is not known. */
  code_version: number | null
}

/** Stands for the code of an agent before any answer named a version of it. */
export const UNNAMED = -1

/** What ended an item, and how much that says of its earlier attempts. */
export interface Ender extends Maker {
  /** The attempt that ended it. */
  attempt: number
  /** All its attempts were by the code that ended it: no other was known. */
  by_one_code: boolean
}

/** What made the steps of an attempt. An item keeps the name of the code that ended it alone. */
export const makerIn = (
  { agent_id, deployment_id, code_version, ...item }: Ender,
  attempt: number,
): Maker => ({
  agent_id,
  deployment_id,
  code_version: attempt === item.attempt || item.by_one_code ? code_version : null,
})

export interface MadeSteps extends Maker {
  steps: number
}

const isSame = (one: Maker, other: Maker) =>
  one.agent_id === other.agent_id &&
  one.deployment_id === other.deployment_id &&
  one.code_version === other.code_version

/** The steps of both together, those of one maker as one. Beyond the bound, the rest are added to the last one. */
export function addMade(made: readonly MadeSteps[], more: readonly MadeSteps[]): MadeSteps[] {
  const sums = made.map(one => ({ ...one }))
  for (const { steps, ...maker } of more) {
    if (steps === 0) continue
    const known = sums.find(one => isSame(one, maker))
    if (known !== undefined) known.steps += steps
    else if (sums.length < LIMITS.recovery_makers) sums.push({ ...maker, steps })
    else sums.at(-1)!.steps += steps
  }
  return sums
}

/** Steps with the names of what made them, and of what the replays run on. */
export interface NamedSteps {
  steps: number
  deployment_version: number | null
  code_version: string | null
  /** It was made before any answer named the code. */
  unnamed: boolean
  runs_on: {
    deployment_version: number | null
    /** Versions of the code that the replays ended by or, before any has, the one that was seen last. */
    code_versions: string[]
  }
}

/** Without what runs now. */
export const reusedVersionOf = ({ deployment_version, code_version, steps }: NamedSteps) => ({
  deployment_version,
  code_version,
  steps,
})

export interface VersionWarning {
  code: 'other_version'
  message: string
  steps: number
}

const isDeployedAnew = ({ deployment_version, runs_on }: NamedSteps) =>
  deployment_version !== null &&
  runs_on.deployment_version !== null &&
  deployment_version !== runs_on.deployment_version

/** Code behind a URL changes without a deploy, and a deploy may leave it as it was: where both are named, the names decide. */
const isByCode = ({ code_version, runs_on }: NamedSteps) =>
  code_version !== null && runs_on.code_versions.length > 0

const isNamedSince = (one: NamedSteps) =>
  one.unnamed && one.runs_on.code_versions.length > 0 && !isDeployedAnew(one)

const isOther = (one: NamedSteps): boolean =>
  isByCode(one)
    ? !one.runs_on.code_versions.includes(one.code_version!)
    : isNamedSince(one) || isDeployedAnew(one)

const named = (codes: readonly string[], version: number | null) =>
  codes.length > 0 ? codes.map(code => `code ${code}`) : version === null ? [] : [`version ${version}`]

const listed = (names: readonly string[]) => {
  const all = [...new Set(names)]
  const shown = all.slice(0, LIMITS.recovery_makers_named)
  return all.length > shown.length ? `${shown.join(', ')} and others` : shown.join(' and ')
}

const made = (one: NamedSteps) =>
  isNamedSince(one)
    ? ['code that named no version']
    : named(isByCode(one) ? [one.code_version!] : [], one.deployment_version)

const running = (one: NamedSteps) => {
  const { code_versions, deployment_version } = one.runs_on
  return named(isByCode(one) || isNamedSince(one) ? code_versions : [], deployment_version)
}

/** How every step runs again: a held item cannot be replayed before it has ended. */
const WAYS_OUT = {
  replay: '"reuse": "none" (--reuse none) runs every step again',
  resume:
    'to run every step again, dismiss it and replay it with "reuse": "none" (assay dismiss, then assay replay --reuse none)',
}

/** Warns of reused steps that another version made; for what does not run items again, of nothing. */
export function warningsOf(all: readonly NamedSteps[], action: TriageAction): VersionWarning[] {
  const others = all.filter(isOther)
  if (others.length === 0 || (action !== 'replay' && action !== 'resume')) return []
  const sum = (of: readonly NamedSteps[]) => of.reduce((total, one) => total + one.steps, 0)
  const [steps, of] = [sum(others), sum(all)]
  const share = steps === of ? counted(of, 'reused step') : `${count(steps)} of ${counted(of, 'reused step')}`
  const message = `${share} ${steps === 1 ? 'was' : 'were'} made by ${listed(others.flatMap(made))}, and ${listed(others.flatMap(running))} runs: what changed since is not in them; ${WAYS_OUT[action]}`
  return [{ code: 'other_version', message, steps }]
}
