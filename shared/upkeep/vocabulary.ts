// The closed lists of words of upkeep, which columns, JSON bodies, the SDK and the command line share.

/** What retention removes of a run. */
export const PURGE_KINDS = ['steps', 'payloads', 'records'] as const
export type PurgeKind = (typeof PURGE_KINDS)[number]
