// Runs a few rows of a file before all of them. Guarantee: the rest is submitted without the rows of the pilot, within
// what the pilot left of the budget, and only after somebody said so.

import { answered, type Run } from './api.ts'
import { canAsk, confirm } from './ask.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { clock, count, money, plural, spend } from './format.ts'
import type { Screen } from './output.ts'
import { itemsTable } from './run-view.ts'
import type { Session } from './session.ts'
import { type Source, type Submission, submitSource, surveyed } from './submit-file.ts'
import { exitOf } from './verdict.ts'
import { watchedRun } from './watch.ts'

const NOT_OK_SHOWN = 10

export interface Pilot {
  /** Rows it takes. */
  rows: number
  /** Go on without asking. */
  goOn: boolean
}

/** The order for the rest of the file; an exit code where it ends with the pilot. */
export async function runPilot(
  session: Session,
  source: Source,
  order: Submission,
  pilot: Pilot,
): Promise<{ order: Submission; source: Source } | ExitCode> {
  const { output } = session
  if (!pilot.goOn && (output.isJson || !canAsk()))
    throw usageFailure('--pilot asks whether to go on, and here is nobody to answer', {
      hint: '--yes goes on by itself, unless no item of the pilot is ok',
    })
  const survey = await surveyed(source)
  if (survey.rows <= pilot.rows) {
    output.note(`the file has ${plural(survey.rows, 'row')}: all of it is the pilot`)
    return { order, source }
  }
  const isPilot = spreadOver(survey.rows, pilot.rows)
  const { run_id } = await submitSource(session, { ...source, takes: isPilot }, orderOfPilot(order))
  output.emit('pilot', { run_id, items: pilot.rows, of_items: survey.rows }, ({ paint }) =>
    [
      `${paint('bold', run_id)}: a pilot over ${count(pilot.rows)} of ${count(survey.rows)} rows, spread over the file`,
    ].join('\n'),
  )
  const run = await watchedRun(session, run_id)
  await showNotOk(session, run)
  const outlook = outlookOf(run, survey.rows - pilot.rows, order.budget_cents, session.now())
  output.emit('outlook', outlook, screen => outlookText(outlook, screen))
  if (outlook.budget_cents === 0)
    return stopped(session, outlook, EXIT.budget, 'the pilot used up the budget')
  const ok = run.completed - run.degraded_count
  if (pilot.goOn && ok === 0) return stopped(session, outlook, exitOf(run), 'no item of the pilot is ok')
  if (!pilot.goOn && !(await confirm(`Submit the other ${count(outlook.rows)}?`)))
    return stopped(session, outlook, EXIT.cancelled, 'as you say')
  const unchanged = await surveyed(source)
  if (unchanged.changed_ms !== survey.changed_ms || unchanged.rows !== survey.rows)
    throw new Failure(EXIT.usage, 'file_changed', `${source.path} has changed since the pilot`, {
      hint: 'the rest was not submitted: which rows it has is no longer known',
    })
  const { budget_cents } = outlook
  return {
    order: { ...order, ...(budget_cents !== null && { budget_cents }) },
    source: { ...source, takes: row => !isPilot(row) },
  }
}

/** Rows at equal distances, the first among them: files are often sorted. */
export function spreadOver(rows: number, wanted: number): (row: number) => boolean {
  const chosen = new Set(Array.from({ length: wanted }, (_, at) => Math.floor((at * rows) / wanted)))
  return row => chosen.has(row)
}

/** Nobody but who waits here is told of the pilot. */
function orderOfPilot({ callback_url: _, name, idempotency_key: key, ...order }: Submission): Submission {
  return {
    ...order,
    name: name ? `${name}, pilot` : 'pilot',
    ...(key && { idempotency_key: `${key}-pilot` }),
  }
}

async function showNotOk({ api, output }: Session, run: Run): Promise<void> {
  const query = { outcome: 'not_ok' as const, limit: NOT_OK_SHOWN }
  const items = await answered(
    api.GET('/v2/runs/{runId}/items', { params: { path: { runId: run.id }, query } }),
  )
  if (items.length > 0) output.rows('not_ok', items, screen => `\n${itemsTable(items, screen)}`)
}

export interface Outlook {
  run_id: string
  /** Rows that are left. */
  rows: number
  cost_usd: number
  /** A model without a known price was called: the cost is a lower bound. */
  unpriced: boolean
  took_ms: number
  ok_share: number
  /** What is left of the budget; null where there is none. */
  budget_cents: number | null
  /** Rows for which that is enough; null where it is for all. */
  affordable: number | null
}

/** What the rest will come to if it is like the pilot. */
export function outlookOf(run: Run, rows: number, budget: number | undefined, now: number): Outlook {
  const each = run.cost_usd / run.total_items
  const ended = run.finished_at === null ? now : Date.parse(run.finished_at)
  const took = run.started_at === null ? 0 : ended - Date.parse(run.started_at)
  // What is not a whole cent is gone too: both runs together must not pass the budget.
  const left = budget === undefined ? null : Math.max(0, budget - Math.ceil(run.cost_usd * 100 - 1e-9))
  const affordable = left === null || each === 0 ? rows : Math.floor(left / 100 / each)
  return {
    run_id: run.id,
    rows,
    cost_usd: each * rows,
    unpriced: run.unpriced_item_count > 0,
    took_ms: Math.round((took / run.total_items) * rows),
    ok_share: (run.completed - run.degraded_count) / run.total_items,
    budget_cents: left,
    affordable: affordable < rows ? affordable : null,
  }
}

function outlookText(outlook: Outlook, { paint }: Screen): string {
  const { rows, cost_usd, unpriced, took_ms, ok_share, budget_cents, affordable } = outlook
  const lines = [
    '',
    `${paint('bold', `the other ${plural(rows, 'row')}`)}, if they are like the pilot:`,
    `  about ${spend(cost_usd, unpriced)}, ${count(rows * ok_share)} ok`,
    ...(took_ms > 0 ? [`  ${clock(took_ms)} at the pilot's pace; more items at once take less`] : []),
  ]
  if (affordable !== null)
    lines.push(
      paint(
        'yellow',
        `  ${money((budget_cents ?? 0) / 100)} are left of the budget: enough for about ${count(affordable)}`,
      ),
    )
  return lines.join('\n')
}

function stopped({ output }: Session, { rows }: Outlook, exit_code: ExitCode, why: string): ExitCode {
  output.emit(
    'stopped',
    { rows, exit_code, why },
    () => `stopped, ${why}: ${plural(rows, 'row')} not submitted`,
  )
  return exit_code
}
