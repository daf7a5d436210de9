// A line of the log, as every process writes it from its first one on.

import type { EventName, Log, LogLevel } from '../../shared/upkeep/rules/log-events.ts'

export const LOG_LEVELS = ['info', 'warn', 'error'] as const satisfies readonly LogLevel[]

export const logLine = (level: LogLevel, event: EventName, fields: object = {}): string =>
  JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })

/** Says on standard output, where who started the process may wait for it, that it takes requests or plays its parts. */
export const tellReady = (fields: { unit: string; url: string | null }): void =>
  console.log(logLine('info', 'ready', fields))

/** Writes one from where there is no context yet, and so no level that could leave it out. */
export const tell: Log = (level, event, fields) => {
  process.stderr.write(`${logLine(level, event, fields)}\n`)
}
