// The closed list of words of results, which columns, JSON bodies, the SDK and the command line share.

export const RESULT_FORMATS = ['json', 'ndjson', 'csv'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]
