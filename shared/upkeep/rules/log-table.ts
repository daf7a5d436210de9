// Writes the list of events as a table for operators.

import { type Described, LOG_EVENTS } from './log-events.ts'

/** The table in infra/logs.md. */
export function eventTable(): string {
  const rows = Object.entries<Described>(LOG_EVENTS).map(
    ([name, { levels, meaning, ids = '' }]) =>
      `| \`${name}\` | ${levels.join(', ')} | ${meaning} |${ids && ` ${ids}`} |`,
  )
  return ['| event | level | what happened, and what to do | ids |', '|---|---|---|---|', ...rows].join('\n')
}
