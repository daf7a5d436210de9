// The closed word list of sources, shared by columns, JSON bodies, the SDK and the command line.

/** How a source writes its rows. */
export const SOURCE_FORMATS = ['ndjson', 'csv', 'json'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]
