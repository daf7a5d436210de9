// Who a caller is: a project's key, a signed-in member, or the operator. Guarantee: what a role, a suspension or the lack of an
// owner's session forbids is refused with one sentence each, the same for every operation.

import { isAtLeast, type KeyRole, type MemberRole } from '../accounts/vocabulary.ts'
import { authorName } from '../items/rules/started-by.ts'
import type { StartedBy } from '../items/vocabulary.ts'
import { ApiError } from '../kernel/errors.ts'
import { isListed } from '../prices/rules/price-book.ts'
import type { SetQuotas } from '../quotas/rules/quotas.ts'

export interface KeyPrincipal {
  kind: 'key'
  account_id: string
  project_id: string
  key_id: string
  /** The prefix by which people recognize the key. */
  name: string
  /** The name that people gave it. */
  label: string
  requests_per_second: number | undefined
  /** What the operator set for the account. */
  plan: SetQuotas
  role: KeyRole
  is_suspended: boolean
  /** Milliseconds since 1970; null is never. */
  expires_ms: number | null
}

export interface SessionPrincipal {
  kind: 'session'
  account_id: string
  member_id: string
  session_id: string
  /** What the operator set for the account. */
  plan: SetQuotas
  /** The member's e-mail. */
  name: string
  role: MemberRole
  is_suspended: boolean
}

export type Principal = KeyPrincipal | SessionPrincipal

/** The installation's operator: belongs to no account, and may only manage accounts. */
export interface OperatorPrincipal {
  kind: 'operator'
}

/** The caller as the starter of a run or a recovery. */
export const starterOf = (principal: Principal): StartedBy =>
  principal.kind === 'key'
    ? { kind: 'key', id: principal.key_id, name: principal.label }
    : { kind: 'member', id: principal.member_id, name: principal.name }

/** The caller as decisions name it, also once it is removed. */
export const authorOf = (principal: Principal): string => authorName(starterOf(principal))

/** The id of the key or session, by which the caller's share is counted. */
export const callerOf = (principal: Principal): string =>
  principal.kind === 'key' ? principal.key_id : principal.session_id

/**
 * Refuses the keys of a suspended account, and its members everything but reads and Account operations. Starts of runs
 * pass: run admission refuses them with 402. @throws ApiError `suspended`
 */
export function refuseSuspended(
  principal: Principal,
  operation: { tag: string; method: string; errors: readonly string[] },
): void {
  if (!principal.is_suspended || operation.errors.includes('account_suspended')) return
  const isOfMembers = operation.tag === 'Account' || operation.method === 'get'
  if (principal.kind === 'session' && isOfMembers) return
  throw new ApiError(
    'suspended',
    principal.kind === 'key'
      ? 'The account is suspended: its keys open nothing.'
      : 'The account is suspended: its members may only read.',
    'Whoever operates this installation resumes it; nothing is lost meanwhile.',
  )
}

/** Refuses a caller whose role is not enough. @throws ApiError `forbidden` */
export function checkRole(principal: Principal, least: MemberRole): void {
  const { role } = principal
  if (isAtLeast(role, least)) return
  throw new ApiError(
    'forbidden',
    `This needs the role ${least}; yours is ${role}.`,
    principal.kind === 'key'
      ? 'Use a key that was made with this role, or sign in.'
      : 'An owner of the account changes roles with PATCH /v1/members/{memberId}.',
  )
}

/** What only an owner who is signed in may set. @throws ApiError `forbidden` */
export function checkOwner(principal: Principal): void {
  if (principal.kind === 'session') return checkRole(principal, 'owner')
  throw new ApiError(
    'forbidden',
    'Limits are set by owners who are signed in; this is a key.',
    'Sign in: assay login, or POST /v1/sessions.',
  )
}

export const isOwner = (principal: Principal): boolean =>
  principal.kind === 'session' && principal.role === 'owner'

/** An owner's credit and budgets count by the list: only an owner sets another price. @throws ApiError `forbidden` */
export function checkPricing(principal: Principal, model: string): void {
  if (!isListed(model) || isOwner(principal)) return
  throw new ApiError(
    'forbidden',
    `The price list has ${model}: only an owner who is signed in sets another price.`,
    'Keys and other members price models that neither a list nor an owner has priced.',
  )
}
