// The format of log lines, the same for every process from its first line on.

import type { EventName, Log, LogLevel } from '../../shared/upkeep/rules/log-events.ts'

export const LOG_LEVELS = ['info', 'warn', 'error'] as const satisfies readonly LogLevel[]

/** The fields of every line of this process. */
let always: { installation?: string } = {}

/** Adds the installation's name to every line that this process logs from now on. */
export function logAs(installation: string | undefined): void {
  always = installation === undefined ? {} : { installation }
}

export const logLine = (level: LogLevel, event: EventName, fields: object = {}): string =>
  JSON.stringify({ at: new Date().toISOString(), level, event, ...always, ...fields })

/** Prints on standard output, where the parent may wait for it, that the process takes requests or runs its parts. */
export const reportReady = (fields: { unit: string; url: string | null }): void =>
  console.log(logLine('info', 'ready', fields))

/** Writes a line to the stream of its level: platforms count what is on standard error as errors. */
export function writeLine(line: string, level: LogLevel): void {
  const stream = level === 'info' ? process.stdout : process.stderr
  stream.write(`${line}\n`)
}

/** Logs where there is no context yet, so whatever the log level is. */
export const logWithoutContext: Log = (level, event, fields) =>
  writeLine(logLine(level, event, fields), level)
