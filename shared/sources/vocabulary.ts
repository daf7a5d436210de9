// The closed list of words of sources, which columns, JSON bodies, the SDK and the command line share.

/** How a source writes its rows. */
export const SOURCE_FORMATS = ['ndjson', 'csv', 'json'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]
