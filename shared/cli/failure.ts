// Exit codes and failures of commands. Guarantee: every failure has a stable code, says what was wrong and what to do
// next, and maps to one exit code.

/** Exit codes; those from 10 on say how a run ended. */
export const EXIT = {
  ok: 0,
  bug: 1,
  usage: 2,
  api: 3,
  degraded: 10,
  failed: 11,
  budget: 12,
  cancelled: 13,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface Advice {
  hint?: string | undefined
  /** A command to try. */
  next?: string | undefined
}

export class Failure extends Error {
  readonly code: string
  readonly exit: ExitCode
  readonly hint: string | undefined
  readonly next: string | undefined
  constructor(exit: ExitCode, code: string, message: string, advice: Advice = {}, cause?: unknown) {
    super(message, { cause })
    this.name = 'Failure'
    this.exit = exit
    this.code = code
    this.hint = advice.hint
    this.next = advice.next
  }
}

export const usageFailure = (message: string, advice?: Advice) =>
  new Failure(EXIT.usage, 'usage', message, advice)

/** What the system says of a disk that takes nothing. */
const DISK: Record<string, string> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the quota of its disk is used up',
  EFBIG: 'its file system takes no file so large',
  EROFS: 'its file system is read-only',
  EIO: 'its disk does not answer',
}

/** The failure for something that could not be written whole. */
export function notWritten(error: unknown, what: string): Failure {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Failure(EXIT.usage, 'not_written', `${what} was not written whole: ${DISK[code] ?? message}`, {
    hint: 'free space there, or name another place, then ask again',
  })
}

/** The failure for an error of the disk, wherever a command met it; undefined for other errors. */
export function diskFailure(error: unknown): Failure | undefined {
  const { code = '', path } = (error ?? {}) as NodeJS.ErrnoException
  return code in DISK ? notWritten(error, path ?? 'a file') : undefined
}
