// Shows schedules and their events on a terminal.

import { namedText } from '../pacing/rules/named-limits.ts'
import { sayEnding } from '../view/estimate.ts'
import type { Schemas } from './api.ts'
import { ago, ahead } from './format.ts'
import type { Screen, Style } from './output.ts'
import { type Fact, factLines, startFacts } from './start-view.ts'
import { type Column, table } from './table.ts'

export type Schedule = Schemas['Schedule']
type Event = Schemas['ScheduleEvent']

const WEEKDAY_SAYS_IT_MS = 6 * 86_400_000

/** A time on the clock of a zone, with its date unless it is within six days; in UTC if the zone is unknown. */
export function onClock(at: string, timezone: string, now: number): string {
  const isNear = Math.abs(Date.parse(at) - now) < WEEKDAY_SAYS_IT_MS
  const day = { weekday: 'short', ...(!isNear && ({ day: 'numeric', month: 'short' } as const)) } as const
  const options = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(new Date(at)).replaceAll(',', '')
  try {
    return format(timezone)
  } catch {
    return `${format('UTC')} UTC`
  }
}

const nextOf = ({ next_fires, timezone }: Schedule, now: number) =>
  next_fires[0] === undefined
    ? undefined
    : `${onClock(next_fires[0], timezone, now)}, ${ahead(next_fires[0], now)}`

const disabledWhy = ({ disabled_reason }: Schedule) =>
  disabled_reason === 'operator' ? 'disabled' : `disabled: ${disabled_reason}`

const eventWords = ({ outcome, reason, retry_at }: Event) =>
  `${outcome}${reason === null ? '' : `: ${reason}`}${retry_at === null ? '' : ', tried again'}`

const detailWords = ({ detail }: Event) =>
  detail === null ? '' : `${detail.line === null ? '' : `line ${detail.line}: `}${detail.text}`

function eventStyle({ outcome, reason }: Event): Style {
  if (reason === 'run_never_started' || outcome === 'error' || outcome === 'missed') return 'red'
  return outcome === 'fired' ? 'green' : 'yellow'
}

export function schedulesTable(rows: readonly Schedule[], now: number, screen: Screen): string {
  const columns: Column<Schedule>[] = [
    { title: 'SCHEDULE', value: row => row.id },
    { title: 'NAME', value: row => row.name ?? '', least: 12 },
    { title: 'AGENT', value: row => row.agent_slug, least: 12, optional: 2 },
    { title: 'CRON', value: row => row.cron, least: 12 },
    { title: 'ZONE', value: row => row.timezone, optional: 3 },
    {
      title: 'NEXT',
      value: row => nextOf(row, now) ?? disabledWhy(row),
      style: row => (row.enabled ? undefined : row.disabled_reason === 'operator' ? 'dim' : 'red'),
      least: 20,
    },
    {
      title: 'LAST',
      value: ({ last_event: last }) =>
        last === null ? '' : `${eventWords(last)} ${ago(last.occurred_at, now)}`,
      style: ({ last_event: last }) => (last === null ? undefined : eventStyle(last)),
      least: 24,
      optional: 1,
    },
  ]
  return table(
    columns.filter(column => rows.some(row => column.value(row) !== '')),
    rows,
    screen,
  )
}

export function eventsTable(rows: readonly Event[], timezone: string, now: number, screen: Screen): string {
  const columns: Column<Event>[] = [
    { title: `MOMENT (${timezone})`, value: row => onClock(row.scheduled_for, timezone, now) },
    { title: 'OUTCOME', value: eventWords, style: eventStyle, least: 24 },
    { title: 'RUN', value: row => row.run_id ?? '' },
    { title: 'DETAIL', value: detailWords, least: 32 },
    { title: 'ACTED', value: row => ago(row.occurred_at, now), align: 'right', optional: 1 },
  ]
  return table(
    columns.filter(column => rows.some(row => column.value(row) !== '')),
    rows,
    screen,
  )
}

export function scheduleLine(schedule: Schedule, now: number, { paint }: Screen): string {
  const { id, name, agent_slug, cron, timezone, source } = schedule
  const next = nextOf(schedule, now)
  const fires = next === undefined ? disabledWhy(schedule) : `fires ${next}`
  const called = name === null ? '' : ` ${JSON.stringify(name)}`
  const reads = source === null ? '' : `, reads ${source.url ?? `what ${source.generator} yields`}`
  return `schedule ${paint('bold', id)}${called} of ${agent_slug}, ${cron} (${timezone}), ${fires}${reads}`
}

export function scheduleText(schedule: Schedule, now: number, screen: Screen): string {
  const { id, name, agent_slug, cron, timezone, source, input, results, declared, last_event } = schedule
  const { ending } = schedule
  const next = nextOf(schedule, now)
  const others = schedule.next_fires.slice(1).map(at => onClock(at, timezone, now))
  const facts: Fact[] = [
    ['cron', `${cron} (${timezone})`],
    ['next', next === undefined ? disabledWhy(schedule) : [next, ...others].join('; ')],
    ['last', last_event === null ? 'never' : `${eventWords(last_event)} ${ago(last_event.occurred_at, now)}`],
    ...(ending === undefined ? [] : [['run', sayEnding(ending, timezone, now)] as const]),
    [
      'items',
      source === null ? `one, ${JSON.stringify(input)}` : (source.url ?? `what ${source.generator} yields`),
    ],
    ...startFacts(schedule),
    ...(results === null ? [] : [['results', `${results.url}, ${results.format}`] as const]),
    ...(schedule.limits ?? []).map((limits): Fact => ['limits', namedText(limits)]),
    ['declared', declared ? 'in code: the next deploy sets it back' : 'by hand'],
  ]
  const called = name === null ? '' : ` ${JSON.stringify(name)}`
  return [`schedule ${screen.paint('bold', id)}${called} of ${agent_slug}`, ...factLines(facts, screen)].join(
    '\n',
  )
}
