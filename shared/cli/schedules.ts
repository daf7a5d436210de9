// The commands about schedules.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { namedLimitsOf } from '../pacing/rules/named-limits.ts'
import { answered, findAgent, type Schemas } from './api.ts'
import { fieldsGiven, type Given, withInput } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { findSchedule } from './find-schedule.ts'
import { minute, plural } from './format.ts'
import { refuseOpenBudget } from './held-budget.ts'
import { printList } from './listing.ts'
import { BY_ID, pageOf } from './pages.ts'
import { plannedOf, printPlan } from './plan.ts'
import { SCHEDULE_SETTINGS } from './schedule-settings.ts'
import { eventsTable, type Schedule, scheduleLine, schedulesTable, scheduleText } from './schedule-view.ts'
import type { Session } from './session.ts'
import { sourceOf } from './source-options.ts'
import { type Column, table } from './table.ts'
import { watchRun } from './watch.ts'

export async function schedules(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const agent = given.text('agent')
  const filter = defined({ agent_id: agent && (await findAgent(api, agent)).id })
  return printList<Schedule>(session, given, {
    event: 'schedule',
    empty: 'no schedules yet',
    page: LIMITS.schedules_page.max,
    read: page => pageOf(api.GET('/v1/schedules', { params: { query: { ...filter, ...page } } })),
    ...BY_ID,
    text: (rows, screen) => schedulesTable(rows, now(), screen),
  })
}

export async function show({ api, output, now }: Session, given: Given): Promise<void> {
  const params = { path: { scheduleId: await findSchedule(api, given.arg(0)) } }
  const schedule = await answered(api.GET('/v1/schedules/{scheduleId}', { params }))
  output.emit('schedule', schedule, screen => scheduleText(schedule, now(), screen))
}

export async function events(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const scheduleId = await findSchedule(api, given.arg(0))
  const { timezone } = await answered(
    api.GET('/v1/schedules/{scheduleId}', { params: { path: { scheduleId } } }),
  )
  return printList<Schemas['ScheduleEvent']>(session, given, {
    event: 'schedule_event',
    noun: 'event',
    empty: 'none of its moments has come yet',
    page: LIMITS.events_page.max,
    read: page =>
      pageOf(api.GET('/v1/schedules/{scheduleId}/events', { params: { path: { scheduleId }, query: page } })),
    keyOf: row => `${row.scheduled_for} ${row.reason === 'manual'}`,
    cameAt: row => row.scheduled_for,
    text: (rows, screen) => eventsTable(rows, timezone, now(), screen),
  })
}

const MOMENTS: Column<Schemas['SchedulePreview']['moments'][number]>[] = [
  { title: 'WALL CLOCK', value: row => row.wall_clock.replace('T', ' ') },
  { title: 'UTC', value: row => (row.at === null ? '' : minute(row.at)) },
  {
    title: 'NOTE',
    value: row =>
      row.note === 'skipped'
        ? 'skipped: the clock jumps over it'
        : row.note === 'repeated'
          ? 'comes twice, fires the first time'
          : '',
    style: row => (row.note === null ? undefined : 'yellow'),
  },
]

export async function preview({ api, output }: Session, given: Given): Promise<void> {
  const query = { cron: given.arg(0), ...defined({ timezone: given.text('timezone') }) }
  const found = await answered(api.GET('/v1/schedules/preview', { params: { query } }))
  output.rows('moment', found.moments, screen => table(MOMENTS, found.moments, screen))
}

export async function create(session: Session, given: Given): Promise<void> {
  const { id } = await findAgent(session.api, given.arg(0))
  const timezone = given.text('timezone')
  const enabled = !given.flag('disabled')
  const order = { agent_id: id, cron: given.arg(1), enabled, ...defined({ timezone }) }
  const text = bodyText(given, order)
  await refuseOpenBudget(session, { agent_id: id, ...fieldsGiven(given, SCHEDULE_SETTINGS) })
  const made = await answered(session.api.POST('/v1/schedules', { body: order, bodySerializer: () => text }))
  return printSchedule(session, 'created', made)
}

export async function update(session: Session, given: Given): Promise<void> {
  const changes = defined({ cron: given.text('cron'), timezone: given.text('timezone') })
  if (bodyText(given, changes) === '{}')
    throw usageFailure('nothing to change', { next: 'assay schedules update --help' })
  const params = { path: { scheduleId: await findSchedule(session.api, given.arg(0)) } }
  const before = await answered(session.api.GET('/v1/schedules/{scheduleId}', { params }))
  const { source: known, agent_id, allow_unpriced } = before
  await refuseOpenBudget(session, { agent_id, allow_unpriced, ...fieldsGiven(given, SCHEDULE_SETTINGS) })
  const text = bodyText(given, changes, known)
  const changed = await answered(
    session.api.PATCH('/v1/schedules/{scheduleId}', { params, body: changes, bodySerializer: () => text }),
  )
  return printSchedule(session, 'updated', changed)
}

/** The request body with the settings given. */
function bodyText(given: Given, fields: object, known: Schemas['Source'] | null = null): string {
  const settings = {
    ...fieldsGiven(given, SCHEDULE_SETTINGS),
    source: sourceOf(given, { known }),
    results: resultsOf(given),
    limits: limitsOf(given),
  }
  return withInput(given.text('input'), { ...fields, ...settings })
}

/** @throws Failure `usage` for a format without a URL */
function resultsOf(given: Given) {
  const [url, format] = [given.text('results-url'), given.text('results-format')]
  if (url === undefined && format !== undefined)
    throw usageFailure('--results-format is of the file that --results-url gets, which is not given')
  if (url === 'none') return null
  return url === undefined ? undefined : { url, ...defined({ format }) }
}

/** @throws Failure `usage` for a text that is no limit */
function limitsOf(given: Given) {
  const lines = given.list('limit')
  if (lines.length === 0) return undefined
  if (lines.length === 1 && lines[0] === 'none') return null
  try {
    return lines.map(namedLimitsOf)
  } catch (error) {
    throw usageFailure(`--limit: ${(error as Error).message}`, {
      hint: "such as --limit 'api.openai.com requests=500/min'",
    })
  }
}

export const enable = (session: Session, given: Given) => switched(session, given, 'enable')
export const disable = (session: Session, given: Given) => switched(session, given, 'disable')

async function switched(session: Session, given: Given, act: 'enable' | 'disable'): Promise<void> {
  const params = { path: { scheduleId: await findSchedule(session.api, given.arg(0)) } }
  const schedule = await answered(session.api.POST(`/v1/schedules/{scheduleId}/${act}`, { params }))
  return printSchedule(session, `${act}d`, schedule)
}

function printSchedule({ output, now }: Session, event: string, schedule: Schedule): void {
  output.emit(event, schedule, screen => `${event}: ${scheduleLine(schedule, now(), screen)}`)
}

export async function remove({ api, output }: Session, given: Given): Promise<void> {
  const scheduleId = await findSchedule(api, given.arg(0))
  await answered(api.DELETE('/v1/schedules/{scheduleId}', { params: { path: { scheduleId } } }))
  output.emit('deleted', { id: scheduleId }, () => `schedule ${scheduleId} is deleted`)
}

export async function trigger(session: Session, given: Given): Promise<ExitCode> {
  const scheduleId = await findSchedule(session.api, given.arg(0))
  if (given.flag('dry-run')) return tryOut(session, scheduleId)
  const started = await answered(
    session.api.POST('/v1/schedules/{scheduleId}/trigger', { params: { path: { scheduleId } } }),
  )
  session.output.emit('started', started, ({ paint, program }) =>
    [
      `started run ${paint('bold', started.run_id)}`,
      ...(given.flag('watch') ? [] : [`${paint('dim', 'try ')}  ${program} watch ${started.run_id}`]),
    ].join('\n'),
  )
  return given.flag('watch') ? watchRun(session, started.run_id) : EXIT.ok
}

type SourceItem = Schemas['SourcePreview']['items'][number]

const FIRST: Column<SourceItem>[] = [
  { title: 'ITEM_ID', value: item => item.item_id ?? '(given by Assay)', least: 8 },
  { title: 'PARTITION', value: item => item.partition_key ?? '', optional: 1 },
  { title: 'INPUT', value: item => JSON.stringify(item.input), least: 32 },
]

async function tryOut(session: Session, scheduleId: string): Promise<ExitCode> {
  const { api, output } = session
  const schedule = await answered(api.GET('/v1/schedules/{scheduleId}', { params: { path: { scheduleId } } }))
  const isOne = schedule.source === null
  const body = { schedule_id: scheduleId, timezone: 'UTC' }
  const found = isOne ? undefined : await answered(api.POST('/v1/sources/preview', { body }))
  if (found !== undefined)
    output.emit('source_preview', found, screen =>
      [
        `${plural(found.count, 'item')}, nothing was started; the first ${found.items.length}:`,
        table(FIRST, found.items, screen),
      ].join('\n'),
    )
  const planned = await plannedOf(session, schedule, found?.count ?? 1)
  if (planned !== undefined) printPlan(session, planned, schedule, isOne ? 'of its input' : 'of its source')
  return EXIT.ok
}
