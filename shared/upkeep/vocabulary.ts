// The closed word lists of upkeep, shared by columns, JSON bodies, the SDK and the command line.

/** What retention removes of a run. */
export const PURGE_KINDS = ['steps', 'payloads', 'records'] as const
export type PurgeKind = (typeof PURGE_KINDS)[number]
