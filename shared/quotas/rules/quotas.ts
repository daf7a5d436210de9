// The quotas of an account: what it may have in all. Guarantee: only this table says which quotas there are, their
// defaults, and the error for a caller that exceeds one.

import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'

interface Definition {
  /** What is counted, as it reads after a number. */
  unit: string
  about: string
  /** Null is no bound. */
  default: number | null
  min: number
  max: number
  error: 'quota_exceeded' | 'plan_limit' | 'rate_limited'
  /** What a refused caller can do to make room. */
  room: string
}

const COUNT = { min: 0, max: 2 ** 31 - 1 }

export const QUOTAS = {
  concurrency: {
    unit: 'items at work at once',
    default: null,
    min: 1,
    max: COUNT.max,
    error: 'quota_exceeded',
    about: "Items that its projects may have at work at once: the sum of the projects' own limits.",
    room: 'Lower the concurrency of a project',
  },
  open_runs: {
    unit: 'open runs',
    default: null,
    ...COUNT,
    error: 'plan_limit',
    about: 'Runs that have not ended.',
    room: 'Wait for runs to end, cancel some, or send many items as one batch',
  },
  requests_per_second: {
    unit: 'requests a second',
    default: null,
    min: 1,
    max: COUNT.max,
    error: 'rate_limited',
    about: 'Requests of all of its keys, triggers and sessions together, in each second.',
    room: 'Wait as long as Retry-After says, or send many items as one batch',
  },
  projects: {
    unit: 'projects',
    default: LIMITS.projects_per_account,
    ...COUNT,
    error: 'quota_exceeded',
    about: 'Projects that were not deleted.',
    room: 'Delete a project',
  },
  agents: {
    unit: 'agents',
    default: LIMITS.agents_per_account,
    ...COUNT,
    error: 'quota_exceeded',
    about: 'Agents that were not deleted, in all of its projects.',
    room: 'Delete an agent',
  },
  schedules: {
    unit: 'schedules',
    default: LIMITS.schedules_per_account,
    ...COUNT,
    error: 'quota_exceeded',
    about: 'Schedules in all of its projects, those that are disabled too.',
    room: 'Delete a schedule',
  },
  triggers: {
    unit: 'triggers',
    default: LIMITS.triggers_per_account,
    ...COUNT,
    error: 'quota_exceeded',
    about: 'Triggers of agents that were not deleted, in all of its projects.',
    room: 'Delete a trigger',
  },
  keys: {
    unit: 'keys',
    default: LIMITS.keys_per_account,
    ...COUNT,
    error: 'quota_exceeded',
    about: 'Keys of its projects that were not revoked and have not expired.',
    room: 'Revoke a key',
  },
  bundles: {
    unit: 'deployments with code',
    default: null,
    ...COUNT,
    error: 'quota_exceeded',
    about: 'Deployments that are kept and hold code, of all agents that were not deleted.',
    room: 'Delete an agent, whose deployments go with it',
  },
  kept_bytes: {
    unit: 'bytes of inputs and code',
    default: null,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    error: 'quota_exceeded',
    about:
      'Inputs of items until retention takes them, and code of deployments. Measured once a minute where it has a bound; outputs and steps are not counted.',
    room: 'Delete agents or projects, or set payload_retention_days',
  },
  members: {
    unit: 'members',
    default: LIMITS.members_per_account,
    min: 1,
    max: COUNT.max,
    error: 'plan_limit',
    about: 'People who sign in to it.',
    room: 'Remove a member',
  },
} as const satisfies Record<string, Definition>

export type QuotaName = keyof typeof QUOTAS
export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[]

/** The quotas that the operator has set for an account; the others have their defaults. */
export type SetQuotas = { [K in QuotaName]?: number }

/** Quotas of things that are counted, which a rate is not. */
export type Counted = Exclude<QuotaName, 'requests_per_second'>
export const COUNTED = QUOTA_NAMES.filter(name => name !== 'requests_per_second') as Counted[]

/** Null is no bound. */
export const limitOf = (set: SetQuotas, name: QuotaName): number | null => set[name] ?? QUOTAS[name].default

/** The set quotas with the operator's changes; null goes back to the default. */
export function changed(
  set: SetQuotas,
  changes: { [K in QuotaName]?: number | null | undefined },
): SetQuotas {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...set, ...Object.fromEntries(given) })
  return Object.fromEntries(all.filter(([, value]) => value !== null))
}

/** Whether a change is refused: it leaves more than is allowed, and more than there was. */
export const isRefused = (limit: number, before: number, after: number) => after > limit && after > before

/** The option of the command by which an operator raises a quota. */
export const optionOf = (name: QuotaName) => name.replaceAll('_', '-')

interface Refused {
  account_id: string
  name: QuotaName
  limit: number
  /** Null for a rate. */
  used: number | null
  /** How many would be added; by default 1. */
  more?: number
  retry_after_s?: number
}

/** An error that says which quota refuses, how full it is, and who can raise it. */
export function quotaError({ account_id, name, limit, used, more = 1, retry_after_s }: Refused): ApiError {
  const { unit, error, room } = QUOTAS[name]
  const full = used === null ? 'asks more often than that' : `has ${used}`
  const added = more === 1 ? '' : `; ${more} more were asked for`
  return new ApiError(
    error,
    `The quota "${name}" of the account allows ${limit} ${unit}, and it ${full}${added}.`,
    `${room}. Whoever operates this installation can raise it: assay admin accounts quota ${account_id} --${optionOf(name)} N.`,
    retry_after_s,
  )
}
