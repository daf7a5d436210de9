// What a log says of an error. Guarantee: a failed query is named without its parameters, which may be secrets or what
// customers sent.

/** With where it came from; a query with its cause. */
export function errorText(error: unknown): string {
  if (isFailedQuery(error)) return `query failed: ${error.query}\n${errorText(error.cause)}`
  return error instanceof Error ? String(error.stack) : String(error)
}

/** Drizzle's error, whose message and stack repeat the parameters. */
function isFailedQuery(error: unknown): error is Error & { query: string } {
  return error instanceof Error && 'query' in error && 'params' in error
}
