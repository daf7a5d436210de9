// The closed lists of words of accounts, shared by columns, JSON bodies, the SDK and the command line.

export const ACCOUNT_STATUSES = ['active', 'suspended'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** What a member may do; each role includes those after it. A project's key is an operator or a viewer of it. */
export const MEMBER_ROLES = ['owner', 'operator', 'viewer'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]
export const isAtLeast = (role: MemberRole, least: MemberRole): boolean =>
  MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(least)

/** What a project's key may do: change anything in its project, or only read. */
export const KEY_ROLES = ['operator', 'viewer'] as const satisfies readonly MemberRole[]
export type KeyRole = (typeof KEY_ROLES)[number]

/** Lists whose views can be saved. */
export const VIEW_LISTS = ['runs', 'triage', 'search'] as const
export type ViewList = (typeof VIEW_LISTS)[number]

/** What outlasts its maker, the most telling first. */
export const MADE_KINDS = [
  'key',
  'trigger',
  'signing_secret',
  'member',
  'deployment',
  'schedule',
  'alert_channel',
  'agent',
  'recovery',
  'run',
] as const
export type MadeKind = (typeof MADE_KINDS)[number]

/** `read` is of a secret that somebody else made. */
export const MADE_HOW = ['made', 'changed', 'read'] as const
export type MadeHow = (typeof MADE_HOW)[number]
