// A line of the log, as every process writes it from its first one on.

export const LOG_LEVELS = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const logLine = (level: LogLevel, event: string, fields: object = {}): string =>
  JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })

/** Says on standard output, where who started the process may wait for it, that it takes requests or plays its parts. */
export const tellReady = (fields: { unit: string; url: string | null }): void =>
  console.log(logLine('info', 'ready', fields))

/** Writes one from where there is no context yet, and so no level that could leave it out. */
export function tell(level: LogLevel, event: string, fields: object = {}): void {
  process.stderr.write(`${logLine(level, event, fields)}\n`)
}
