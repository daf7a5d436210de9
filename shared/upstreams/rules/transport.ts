// Placeholder until the table of words is merged.

export const wasSent = (error: unknown): boolean =>
  !/ECONNREFUSED|ENOTFOUND|no connection to/.test(`${String(error)} ${String((error as Error)?.cause)}`)
