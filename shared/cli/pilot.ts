// Runs a pilot over a few rows of a file before the rest. Guarantee: the rest is submitted without the pilot's rows,
// within the budget that the pilot left, and only after somebody confirmed it or gave --yes.

import { type Outlook, outlookOf, pilotName, spreadOver } from '../submission/rules/pilot.ts'
import type { Estimate } from '../view/estimate.ts'
import { answered, type Run } from './api.ts'
import { canAsk, confirm } from './ask.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { clock, count, money, plural, spend } from './format.ts'
import { moreWords } from './listing.ts'
import type { Screen } from './output.ts'
import { plannedOf } from './plan.ts'
import { itemsTable } from './run-view.ts'
import type { Session } from './session.ts'
import { type Source, type Submission, submitSource } from './submit-file.ts'
import { type SurveyedFile, surveyed } from './survey.ts'
import { exitOf } from './verdict.ts'
import { watchedRun } from './watch.ts'

const NOT_OK_SHOWN = 10

export interface Pilot {
  /** How many rows it takes. */
  rows: number
  /** Whether to continue without asking. */
  goOn: boolean
}

/** Runs the pilot; returns the order for the rest of the file, or an exit code if the command ends here. */
export async function runPilot(
  session: Session,
  source: Source,
  order: Submission,
  { pilot, survey }: { pilot: Pilot; survey: SurveyedFile },
): Promise<{ order: Submission; source: Source } | ExitCode> {
  const { output } = session
  if (!pilot.goOn && (output.isJson || !canAsk()))
    throw usageFailure('--pilot asks whether to continue, which needs a terminal and no --json', {
      hint: '--yes continues without asking, unless no item of the pilot is ok',
    })
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
  const planned = await plannedOf(session, order, outlook.rows).catch(() => undefined) // no reason to stop
  output.emit('outlook', { ...outlook, estimate: planned?.estimate ?? null }, screen =>
    outlookText(outlook, planned?.estimate, screen),
  )
  if (outlook.budget_cents === 0)
    return stopped(session, outlook, EXIT.budget, 'the pilot used up the budget')
  const ok = run.completed - run.degraded_count
  if (pilot.goOn && ok === 0) return stopped(session, outlook, exitOf(run), 'no item of the pilot is ok')
  if (!pilot.goOn && !(await confirm(`Submit the other ${count(outlook.rows)}?`)))
    return stopped(session, outlook, EXIT.cancelled, 'as you say')
  const unchanged = await surveyed(session, source)
  if (unchanged.changed_ms !== survey.changed_ms || unchanged.rows !== survey.rows)
    throw new Failure(EXIT.usage, 'file_changed', `${source.path} has changed since the pilot`, {
      hint: 'the rest was not submitted, because which rows it has is no longer known; submit the changed file as a run of its own',
    })
  const { budget_cents } = outlook
  output.note(`the rest is a run of its own; the rows of the pilot are in assay results ${run_id}`)
  return {
    order: { ...order, ...(budget_cents !== null && { budget_cents }) },
    source: { ...source, takes: row => !isPilot(row) },
  }
}

/** The pilot's order, without the callback: only the user who waits here sees the pilot end. */
function orderOfPilot({ callback_url: _, name, idempotency_key: key, ...order }: Submission): Submission {
  return {
    ...order,
    name: pilotName(name),
    ...(key && { idempotency_key: `${key}-pilot` }),
  }
}

async function showNotOk({ api, output }: Session, run: Run): Promise<void> {
  const query = { outcome: 'not_ok' as const, limit: NOT_OK_SHOWN }
  const items = await answered(
    api.GET('/v2/runs/{runId}/items', { params: { path: { runId: run.id }, query } }),
  )
  if (items.length > 0) output.rows('not_ok', items, screen => `\n${itemsTable(items, screen)}`)
  const not_ok = run.degraded_count + run.failed
  if (not_ok > items.length) {
    const all = `assay items ${run.id} --outcome not_ok`
    output.note(moreWords(items.length, { count: not_ok, more: false }, 'item', `${all} shows all`))
  }
}

function outlookText(outlook: Outlook, estimate: Estimate | undefined, { paint }: Screen): string {
  const { rows, cost_usd, unpriced, took_ms, ok_share, budget_cents, affordable } = outlook
  const lines = [
    '',
    `${paint('bold', `the other ${plural(rows, 'row')}`)}, if they are like the pilot:`,
    `  about ${spend(cost_usd, unpriced)}, ${count(rows * ok_share)} ok`,
    ...(estimate?.seconds != null
      ? [`  ${estimate.message}`]
      : took_ms > 0
        ? [`  ${clock(took_ms)} at the pilot's pace; more items at once take less`]
        : []),
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
