// Formats an error for a log. Guarantee: a failed query is logged without its parameters, which may be secrets or
// customers' data.

/** The error's stack; for a failed query its SQL and the cause. */
export function errorText(error: unknown): string {
  if (isFailedQuery(error)) return `query failed: ${error.query}\n${errorText(error.cause)}`
  return error instanceof Error ? String(error.stack) : String(error)
}

/** Drizzle's error, whose message and stack repeat the parameters. */
function isFailedQuery(error: unknown): error is Error & { query: string } {
  return error instanceof Error && 'query' in error && 'params' in error
}
