// The commands that list items that wait for a decision, and decide about them.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { WrongOf } from '../triage/vocabulary.ts'
import { isStoppedShort, recoveryOf, sayStoppedShort } from '../view/left-over.ts'
import { sayWarnings } from '../view/recovery.ts'
import type { Doubt } from '../view/verdict.ts'
import { answered, type Schemas } from './api.ts'
import { type Given, withInput } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { findItem } from './find-item.ts'
import { ago, plural } from './format.ts'
import { isFullTerminal } from './full-screen.ts'
import { verbOf } from './item-view.ts'
import { type Listing, printList } from './listing.ts'
import { bodyPageOf } from './pages.ts'
import { replayMany, reuseOf } from './recover.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { filtersOf } from './triage-filters.ts'
import { triageScreen } from './triage-screen.ts'
import { whyInTriage } from './triage-view.ts'
import { outcomeStyle } from './verdict.ts'
import { doubts, withDoubt } from './verdicts.ts'
import { watchRun } from './watch.ts'

type Row = Schemas['TriageRow']

function columnsOf(rows: readonly Row[], now: number, doubt: Doubt): Column<Row>[] {
  const columns: Column<Row>[] = [
    { title: 'ITEM', value: row => row.record_id },
    {
      title: 'YOUR ID',
      value: row => (row.item_id === row.record_id ? '' : row.item_id),
      least: 8,
    },
    { title: 'PARTITION', value: row => row.partition_key ?? '', least: 6, optional: 5 },
    {
      title: 'WORKED',
      value: row => row.outcome_status ?? 'held',
      style: row => outcomeStyle(row.outcome_status),
      optional: 1,
    },
    { title: 'WHY', value: row => withDoubt(whyInTriage(row), doubt(row)), least: 32 },
    { title: 'CAN', value: row => row.available_actions.map(verbOf).join(', '), optional: 2 },
    { title: 'SINCE', value: row => ago(row.created_at, now), align: 'right', optional: 3 },
  ]
  return columns.filter(column => rows.some(row => column.value(row) !== ''))
}

export async function triage(session: Session, given: Given): Promise<ExitCode> {
  const { now } = session
  const kind = given.text('kind') as Row['kind'] | undefined
  const own = await filtersOf(session, given)
  const filters = { ...own, ...(kind && { kind }) }
  const doubt = await doubts(session, given)
  const listing: Listing<Row> = {
    event: 'triage',
    noun: 'item',
    empty: 'nothing waits for a decision',
    page: LIMITS.triage_page.max,
    read(page) {
      const query = { ...own, kind: kind ?? ('all' as const), ...page }
      return bodyPageOf(session.api.GET('/v1/triage', { params: { query } }), found => found.rows)
    },
    keyOf: row => `${row.record_id} ${row.created_at}`,
    cameAt: row => row.created_at,
    text: (rows, screen) => table(columnsOf(rows, now(), doubt), rows, screen),
  }
  const isList = ['limit', 'since'].some(name => given.text(name) !== undefined) || given.flag('follow')
  if (isList || session.output.isJson || !isFullTerminal()) {
    const exit = await printList(session, given, listing)
    await noteStopped(session, filters)
    return exit
  }
  const newest = async () => {
    const { rows, next } = await listing.read({ limit: listing.page })
    return { rows, more: next !== undefined, doubt, ofCause: await countsOfCauses(session, filters) }
  }
  return triageScreen(session, newest, own)
}

/** What stopped runs did not get to is in no triage: a list of all, or of such a run, says how that is run again. */
async function noteStopped({ api, output }: Session, filters: { run_id?: string }): Promise<void> {
  const { run_id, ...others } = filters
  if (Object.keys(others).length > 0) return
  const runs =
    run_id === undefined
      ? await answered(api.GET('/v2/runs', { params: { query: { limit: RUNS_LOOKED_AT } } }))
      : [await answered(api.GET('/v2/runs/{runId}', { params: { path: { runId: run_id } } }))]
  for (const run of runs.filter(isStoppedShort).slice(0, STOPPED_NOTED))
    output.note(`${sayStoppedShort(run)}: ${recoveryOf(run)!.command}`)
}

const RUNS_LOOKED_AT = 50
const STOPPED_NOTED = 3

/** How many items wait with each cause; empty if a filter leaves out some, because the server does not count those. */
async function countsOfCauses({ api }: Session, filters: object): Promise<Map<string, number>> {
  const { run_id, ...others } = filters as { run_id?: string }
  if (Object.keys(others).some(name => name !== 'cause_id')) return new Map()
  const query = {
    ...defined({ run_id }),
    waiting: 'true',
    limit: LIMITS.triage_page.max,
  } as const
  const { rows } = await answered(api.GET('/v1/causes', { params: { query } }))
  return new Map(rows.map(row => [row.id, row.waiting]))
}

export async function replay(session: Session, given: Given): Promise<ExitCode> {
  if (given.optionalArg(0) === undefined) return replayMany(session, given)
  if (given.flag('dry-run') || given.text('cluster') !== undefined)
    throw usageFailure('--cluster and --dry-run are for many items, and one is named')
  const [deployment, budget_cents] = [given.text('deployment'), given.amount('budget')]
  const body = withInput(given.text('input'), { ...reuseOf(given), deployment, budget_cents })
  const itemId = await findItem(session, given, 'replay')
  const continued = await answered(
    session.api.POST('/v1/durable/runs/{itemId}/replay', {
      params: { path: { itemId } },
      body: {},
      bodySerializer: () => body,
    }),
  )
  return printContinued(session, given, 'replayed', `replayed as ${continued.record_id}`, continued)
}

export async function resume(session: Session, given: Given): Promise<ExitCode> {
  const budget_cents = given.amount('budget')
  const itemId = await findItem(session, given, 'resume')
  const continued = await answered(
    session.api.POST('/v1/durable/runs/{itemId}/resume', {
      params: { path: { itemId } },
      body: defined({ budget_cents }),
    }),
  )
  return printContinued(session, given, 'resumed', 'resumed', continued)
}

async function printContinued(
  session: Session,
  given: Given,
  event: string,
  words: string,
  continued: Schemas['ContinuedItem'],
): Promise<ExitCode> {
  const { run_id, record_id, reused_steps } = continued
  session.output.emit(event, continued, ({ paint, program }) =>
    [
      `${words} in run ${paint('bold', run_id)}, ${reused_steps === 0 ? 'all of it is done again' : `${plural(reused_steps, 'step')} not done again`}`,
      ...sayWarnings(continued).map(warning => paint('yellow', warning)),
      ...(given.flag('watch') ? [] : [`${paint('dim', 'try ')}  ${program} item ${record_id}`]),
    ].join('\n'),
  )
  return given.flag('watch') ? watchRun(session, run_id) : EXIT.ok
}

export const acknowledge = (session: Session, given: Given) =>
  decided(session, given, 'acknowledge', 'left triage; nothing was decided about it')
export const dismiss = (session: Session, given: Given) => decided(session, given, 'dismiss', 'is dismissed')
export const confirm = (session: Session, given: Given) =>
  decided(session, given, 'confirm', 'is confirmed not to have worked; what was recorded stays')
export const reopen = (session: Session, given: Given) =>
  decided(session, given, 'reopen', 'waits for a decision again')

const EVENTS = {
  acknowledge: 'acknowledged',
  dismiss: 'dismissed',
  confirm: 'confirmed',
  reopen: 'reopened',
} as const

async function decided(session: Session, given: Given, act: keyof typeof EVENTS, words: string) {
  const { api, output } = session
  const itemId = await findItem(session, given, verbOf(act))
  await answered(api.POST(`/v1/durable/runs/{itemId}/${act}`, { params: { path: { itemId } } }))
  output.emit(EVENTS[act], { record_id: itemId }, () => `${itemId} ${words}`)
}

export async function callWrong(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const itemId = await findItem(session, given, 'wrong')
  const of = given.text('of') as WrongOf | undefined
  const order = { params: { path: { itemId } }, body: defined({ of }) }
  await answered(api.POST('/v1/durable/runs/{itemId}/wrong', order))
  const words = await wrongWords(session, itemId, of)
  output.emit('called_wrong', { record_id: itemId }, () => `${itemId} ${words}`)
}

async function wrongWords(
  { api, output }: Session,
  itemId: string,
  of: WrongOf | undefined,
): Promise<string> {
  if (output.isJson) return ''
  if (of === 'question' || of === 'correction') return 'is ok in results, as it was recorded'
  const { outcome_status } = await answered(
    api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId } } }),
  )
  return outcome_status === 'ok'
    ? 'is called wrong and waits in triage; it counts in verdicts once it is decided about there'
    : 'is called wrong; what was recorded stays'
}

export async function why(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const itemId = await findItem(session, given, 'why')
  const found = await answered(api.GET('/v1/durable/runs/{itemId}/why', { params: { path: { itemId } } }))
  output.emit('why', found, ({ paint }) => `${paint('bold', found.token)}: ${found.message}`)
}
