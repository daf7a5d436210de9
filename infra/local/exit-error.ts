// The error of a start that fails for a reason a person can fix. Guarantee: it is reported in one line without a stack
// trace and with an exit code of its own, so that service managers need not retry.

/** EX_CONFIG of sysexits.h. */
export const REFUSED = 78
/** EX_TEMPFAIL: it may pass by itself, so whoever started the process starts it again. */
export const PASSES = 75

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

const FULL = /\b(ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded|database or disk is full/

/** The error for a disk that takes nothing, by what the system or a program said of it; undefined for other errors. */
export function diskFull(said: unknown, place: string): ExitError | undefined {
  if (!FULL.test(String(said))) return undefined
  return new ExitError(
    'disk_full',
    `the disk of ${place} is full, and so it cannot be written: free space there, or give it a larger disk.`,
  )
}

/**
 * The text to print for a failed start, and the exit code: one line, with REFUSED where a person has to fix it and
 * PASSES where the disk is full.
 */
export function endOf(error: unknown): { line: string; code: number } {
  const { path = 'the folder that it writes to' } = (error ?? {}) as NodeJS.ErrnoException
  const full = error instanceof ExitError ? undefined : diskFull(error, path)
  if (full !== undefined) return endOf(full)
  if (error instanceof ExitError && error.code === 'disk_full')
    return { line: `${error.code}: ${error.message}`, code: PASSES }
  if (error instanceof ExitError) return { line: `${error.code}: ${error.message}`, code: REFUSED }
  return { line: error instanceof Error ? (error.stack ?? String(error)) : String(error), code: 1 }
}
