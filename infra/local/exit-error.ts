// The error of a start that fails for a reason a person can fix. Guarantee: it is reported in one line without a stack
// trace and with an exit code of its own, so that service managers need not retry.

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

/** The error for an invalid setting. */
export const invalid = (message: string) => new ExitError('setting_invalid', message)

/** The text to print for a failed start, and the exit code; one line and REFUSED where a person can fix it. */
export function endOf(error: unknown): { line: string; code: number } {
  if (error instanceof ExitError) return { line: `${error.code}: ${error.message}`, code: REFUSED }
  return { line: error instanceof Error ? (error.stack ?? String(error)) : String(error), code: 1 }
}
