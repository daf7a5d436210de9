// A start that cannot go on for a reason a person can mend. Guarantee: told in one line, without a stack, and with an
// exit code of its own, so that service managers need not try again.

/** EX_CONFIG of sysexits.h. */
export const REFUSED = 78

export class ExitError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'ExitError'
    this.code = code
  }
}

/** A setting that says what cannot be. */
export const invalid = (message: string) => new ExitError('setting_invalid', message)

/** What is printed of a start that failed: one line where a person can mend it. */
export function endOf(error: unknown): { line: string; code: number } {
  if (error instanceof ExitError) return { line: `${error.code}: ${error.message}`, code: REFUSED }
  return { line: error instanceof Error ? (error.stack ?? String(error)) : String(error), code: 1 }
}
