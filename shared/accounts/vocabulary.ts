// The closed lists of words of accounts, which columns, JSON bodies, the SDK and the command line share.

export const ACCOUNT_STATUSES = ['active', 'suspended'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** What a member may do; each role may do what those after it may. A project key is an operator of its project. */
export const MEMBER_ROLES = ['owner', 'operator', 'viewer'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** What a project's key may do: all that changes something in its project, or read alone. */
export const KEY_ROLES = ['operator', 'viewer'] as const satisfies readonly MemberRole[]
export type KeyRole = (typeof KEY_ROLES)[number]

/** Lists of which a view can be saved. */
export const VIEW_LISTS = ['runs', 'triage', 'search'] as const
export type ViewList = (typeof VIEW_LISTS)[number]
