// Says which versions of an agent made the steps that replays take over, and warns where these are others than the one that
// runs. Guarantee: pure; a version counts as another only if both are known.

import { LIMITS } from '../../kernel/limits.ts'
import { count, counted } from '../../prices/rules/amounts.ts'

/** By what an item ended: its deployment, and the number of the code that its answer named. */
export interface Maker {
  agent_id: string
  deployment_id: string | null
  code_version: number | null
}

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
  runs_on: {
    deployment_version: number | null
    /** Versions of the code that the replays ended by or, before any has, the one that was seen last. */
    code_versions: string[]
  }
}

export interface VersionWarning {
  code: 'other_version'
  message: string
  steps: number
}

/** Code behind a URL changes without a deploy, and a deploy may leave it as it was: where both are named, the names decide. */
function isOther({ deployment_version, code_version, runs_on }: NamedSteps): boolean {
  if (code_version !== null && runs_on.code_versions.length > 0)
    return !runs_on.code_versions.includes(code_version)
  return (
    deployment_version !== null &&
    runs_on.deployment_version !== null &&
    deployment_version !== runs_on.deployment_version
  )
}

const named = (codes: readonly string[], version: number | null) =>
  codes.length > 0 ? codes.map(code => `code ${code}`) : version === null ? [] : [`version ${version}`]

const listed = (names: readonly string[]) => {
  const all = [...new Set(names)]
  const shown = all.slice(0, LIMITS.recovery_makers_named)
  return all.length > shown.length ? `${shown.join(', ')} and others` : shown.join(' and ')
}

/** Warns of reused steps that another version made; null if there are none. */
export function warnOfVersions(all: readonly NamedSteps[]): VersionWarning | null {
  const others = all.filter(isOther)
  if (others.length === 0) return null
  const sum = (of: readonly NamedSteps[]) => of.reduce((total, one) => total + one.steps, 0)
  const [steps, of] = [sum(others), sum(all)]
  const isByCode = (one: NamedSteps) => one.code_version !== null && one.runs_on.code_versions.length > 0
  const made = others.flatMap(one => named(isByCode(one) ? [one.code_version!] : [], one.deployment_version))
  const now = others.flatMap(({ runs_on, ...one }) =>
    named(isByCode({ ...one, runs_on }) ? runs_on.code_versions : [], runs_on.deployment_version),
  )
  const share = steps === of ? counted(of, 'reused step') : `${count(steps)} of ${counted(of, 'reused step')}`
  return {
    code: 'other_version',
    message: `${share} ${steps === 1 ? 'was' : 'were'} made by ${listed(made)}, and ${listed(now)} runs: what changed since is not in them; "reuse": "none" (--reuse none) runs every step again`,
    steps,
  }
}
