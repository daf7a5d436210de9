// Shows runs and their items: lists as tables, and the result of a run in a few lines.

import { isHeld, isPaused } from '../items/rules/lifecycle.ts'
import { recoveryOf } from '../view/left-over.ts'
import { OTHER_VERSIONS, sayCalls, sayGap, sayVersions } from '../view/model-calls.ts'
import {
  itemsToDecide,
  ranAndWorked,
  runName,
  runStanding,
  sayNoneNamed,
  sayPilot,
  sayResent,
} from '../view/run.ts'
import { sayStarter } from '../view/start.ts'
import { type FailureRuleOf, failureRuleOf, sayWorkedShare, workedTone } from '../view/worked-share.ts'
import type { Run, RunItem, Schemas, Verification } from './api.ts'
import { ago, brief, clean, count, duration, money, pad, plural, spend } from './format.ts'
import type { Screen } from './output.ts'
import { type Column, INDENT, table } from './table.ts'
import { leastFor, outcomeStyle, whyInList } from './verdict.ts'

/** The run's name; empty if it would only repeat the agent's, which stands next to it. */
const nameIn = (run: Run): string => (run.name === null && run.replay_of === null ? '' : runName(run))

/** How the runs of a project are judged. */
export type RulesOf = (project_id: string) => FailureRuleOf

const usual: RulesOf = () => failureRuleOf([])

export function runsTable(runs: Run[], now: number, screen: Screen, rulesOf = usual): string {
  const columns: Column<Run>[] = [
    { title: 'RUN', value: run => run.id },
    { title: 'NAME', value: nameIn, least: 8, optional: 5 },
    { title: 'AGENT', value: run => run.agent_slug, least: 8 },
    ...(runs.some(run => run.tags.length > 0)
      ? [{ title: 'TAGS', value: (run: Run) => run.tags.join(', '), least: 8, optional: 6 }]
      : []),
    { title: 'STATUS', value: runStanding },
    {
      title: 'WORKED',
      value: run => [sayWorkedShare(run) ?? '–', ...(isWhole(run) ? ['all ok'] : [])].join(' → '),
      style: run =>
        outcomeStyle(isWhole(run) ? 'ok' : workedTone(run, rulesOf(run.project_id)(run.agent_id))),
    },
    { title: 'ITEMS', value: run => count(run.total_items), align: 'right', optional: 1 },
    { title: 'NOT OK', value: notOkText, align: 'right', optional: 4 },
    {
      title: 'COST',
      value: run => spend(run.cost_usd, run.unpriced_item_count > 0),
      align: 'right',
      optional: 2,
    },
    {
      title: 'BY',
      value: run => (run.started_by == null ? '' : clean(sayStarter(run.started_by))),
      least: 8,
      optional: 7,
    },
    { title: 'STARTED', value: run => ago(run.created_at, now), align: 'right', optional: 3 },
  ]
  return table(columns, runs, screen)
}

/** Whether replays have made everything ok that was not. */
const isWhole = (run: Run): boolean =>
  run.recovered_count > 0 && run.completed - run.degraded_count + run.recovered_count >= run.total_items

/** How many items did not end ok; of a run that was recovered also how many are not ok now, as in results. */
function notOkText(run: Run): string {
  const { total_items, completed, degraded_count, failed, recovered_count } = run
  if (!(recovered_count > 0)) return count(degraded_count + failed)
  const notOk = total_items - completed + degraded_count
  return `${count(notOk)} → ${count(notOk - recovered_count)}`
}

/** The verdict that stands: of a replay that worked, or as people corrected it, else the recorded one. */
const standing = (item: RunItem) =>
  item.mended_by === null ? (item.corrected_outcome_status ?? item.worst_outcome_status) : 'ok'

export function itemsTable(items: RunItem[], screen: Screen): string {
  const columns: Column<RunItem>[] = [
    { title: 'ID', value: item => item.id },
    // An item submitted without an id has its record id as item_id.
    { title: 'ITEM', value: item => (item.item_id === item.id ? '' : item.item_id), least: 10 },
    { title: 'PARTITION', value: item => item.partition_key ?? '', least: 6, optional: 3 },
    { title: 'RAN', value: item => item.status },
    {
      title: 'WORKED',
      value: item =>
        (standing(item) === item.worst_outcome_status ? '' : `${item.worst_outcome_status ?? '–'} → `) +
        (standing(item) ?? '–'),
      style: item => outcomeStyle(standing(item)),
    },
    {
      title: 'UNREAD',
      value: item => (item.unread_call_count === 0 ? '' : plural(item.unread_call_count, 'call')),
      style: () => 'yellow',
    },
    { title: 'COST', value: item => spend(item.cost_usd, item.unpriced), align: 'right', optional: 2 },
    { title: 'DETAIL', value: item => said(item, screen.columns), least: leastFor(items.map(whyInList), 28) },
  ]
  return table(
    columns.filter(column => items.some(item => column.value(item) !== '')),
    items,
    screen,
  )
}

/** Why the item is not ok, else its output, on one line of its own at most. */
const said = (item: RunItem, columns: number) =>
  whyInList(item) || (item.output == null ? '' : brief(item.output, columns - INDENT))

/** The result of a run: whether it ran, whether it worked, its cost, and what to do next. */
export function runSummary(run: Run, screen: Screen): string {
  const { paint, program } = screen
  const label = (text: string) => paint('dim', pad(text, 8))
  const ended = run.finished_at ?? undefined
  const took =
    ended && run.started_at ? ` in ${duration(Date.parse(ended) - Date.parse(run.started_at))}` : ''
  const cost = [
    spend(run.cost_usd, run.unpriced_item_count > 0),
    `${count(run.total_input_tokens)} tokens in`,
    `${count(run.total_output_tokens)} out`,
    sayCalls(run.model_calls) ?? false,
    run.unpriced_item_count > 0 &&
      `${plural(run.unpriced_item_count, 'item')} made a call whose cost is not known`,
    `list prices of ${run.prices_as_of}`,
  ]
    .filter(Boolean)
    .join(' · ')
  const lines = [
    `${label('run')}${run.id}${run.name === null ? '' : `  ${clean(run.name)}`}`,
    ranAndWorked(run, paint),
    `${label('status')}${paint('bold', isHeld(run) ? 'waits for a decision' : runStanding(run))}, ${plural(run.total_items, 'item')}${took}`,
    `${label('cost')}${cost}`,
    // Older servers do not say it.
    ...(run.started_by == null ? [] : [`${label('by')}${clean(sayStarter(run.started_by))}`]),
  ]
  if (run.estimate != null) lines.push(`${label('left')}${run.estimate.message}`)
  if (run.pilot_items !== null) lines.push(`${label('pilot')}${sayPilot(run.pilot_items, run.total_items)}`)
  for (const { message } of run.failed_checks ?? [])
    lines.push(`${label('noticed')}${paint('yellow', message)}`)
  if (run.stop_reason === 'pilot_failed')
    lines.push(`${label('stopped')}none of its first items was ok, so the others were not started`)
  if (run.stop_reason === 'consecutive_failures')
    lines.push(`${label('stopped')}too many items failed in a row`)
  lines.push(...budgetLines(run, paint).map(line => `${label('budget')}${line}`))
  if (run.suspected_call_count > 0) {
    const calls = plural(run.suspected_call_count, 'call')
    lines.push(
      `${label('suspect')}${calls} may be ${run.suspected_call_count === 1 ? 'a refusal' : 'refusals'}: ${program} search --reason suspected_refusal --run ${run.id}`,
    )
  }
  lines.push(...versionLines(run).map((line, at) => `${label(at === 0 ? 'code' : '')}${line}`))
  if (run.resend_count > 0) lines.push(`${label('resent')}${sayResent(run)}`)
  const open = itemsToDecide(run)
  if (open > 0) {
    lines.push(
      `${label('open')}${plural(open, 'item')} wait${open === 1 ? 's' : ''} for a decision: ${program} triage --run ${run.id}`,
    )
  }
  return [...lines, ...againLine(run, screen)].join('\n')
}

/** Once nothing of the run moves: what did not end well, and the command that runs all of it again. */
function againLine(run: Run, { paint, program }: Screen): string[] {
  const again = run.finished_at === null && !isPaused(run) ? undefined : recoveryOf(run)
  if (again === undefined) return replaysLine(run, { paint, program })
  return [`${paint('dim', pad('again', 8))}${again.said}: ${again.command.replace(/^assay\b/, program)}`]
}

/** Where replays have ended that did not work: where the reasons are. Others may go on. */
function replaysLine(run: Run, { paint, program }: Pick<Screen, 'paint' | 'program'>): string[] {
  const { replay_run_id, replay_count, recovered_count } = run
  const notOk = replay_count - recovered_count
  if (!(notOk > 0) || replay_run_id === null) return []
  return [
    `${paint('dim', pad('again', 8))}${count(notOk)} of ${plural(replay_count, 'replay')} that ended did not work: ${program} causes --run ${replay_run_id}`,
  ]
}

/** That its budget was reached, or is not enforced. */
function budgetLines({ budget_cents, stop_reason, budget_gap }: Run, paint: Screen['paint']): string[] {
  const isReached = budget_cents !== null && stop_reason === 'budget_exceeded'
  return [
    ...(isReached ? [`${money(budget_cents / 100)} was reached; what was not dispatched did not run`] : []),
    ...(budget_gap === null ? [] : [paint('yellow', sayGap(budget_gap))]),
  ]
}

/** By which code the items ended, where their answers named it. */
function versionLines({ code_versions = [], completed, failed }: Run): string[] {
  if (code_versions.length === 0) return []
  const isOver = code_versions.some(({ version }) => version === null)
  return [clean(sayVersions(code_versions, completed + failed)), ...(isOver ? [OTHER_VERSIONS] : [])]
}

const FOUND_SHOWN = 3

/** The run's model calls that were not read or have no known cost, with what was found and how to fix it. */
export function uncountedText(
  run: Run,
  { unread, unpriced }: Pick<Schemas['RunFailures'], 'unread' | 'unpriced'>,
  screen: Screen,
): string {
  const { paint, program, columns } = screen
  const label = (text: string) => paint('dim', pad(text, 8))
  const lines = unread.slice(0, FOUND_SHOWN).map(({ found, calls, record_id }, at) => {
    const tail = `, such as ${record_id}`
    const said = brief(`${plural(calls, 'call')}: ${found}`, Math.max(40, columns - 8 - tail.length))
    return `${label(at === 0 ? 'unread' : '')}${said}${tail}`
  })
  if (unread.length > 0)
    lines.push(
      `${label('')}nobody knows whether these worked; read of ctx.llm says what such an answer came to`,
    )
  const later = sayNoneNamed(run)
  if (run.unread_call_count > 0 && unread.length === 0 && later !== undefined)
    lines.push(`${label('unread')}${plural(run.unread_call_count, 'call')}: ${later}`)
  if (unpriced.length === 0) {
    if (run.unpriced_item_count > 0 && unread.length === 0 && later !== undefined)
      lines.push(
        `${label('price')}none is known of calls of ${plural(run.unpriced_item_count, 'item')}: ${later}`,
      )
    return lines.join('\n')
  }
  const models = unpriced.map(({ model, calls }) => `${clean(model ?? 'no name')} (${plural(calls, 'call')})`)
  lines.push(`${label('price')}none is known of ${models.join(', ')}; ${program} prices check`)
  return lines.join('\n')
}

/** The sums of a verification, line by line: the run's counter next to the recount. */
export function verificationText(verification: Verification, screen: Screen): string {
  const { paint } = screen
  const { counted, counters, totals, cost_micro, total_items } = verification
  const rows: [name: string, run: number, recount: number][] = [
    ...(Object.keys(counters) as (keyof typeof counters)[]).map(
      name => [name, counters[name], counted[name]] as [string, number, number],
    ),
    ['sum of these', sum(counters), sum(counted)],
    ['submitted', total_items, totals.counted.items],
    ...(
      [
        'input_tokens',
        'output_tokens',
        'unpriced_items',
        'model_calls',
        'unread_calls',
        'suspected_calls',
        'undecided',
      ] as const
    ).map(name => [name, totals.counters[name], totals.counted[name]] as [string, number, number]),
    ['cost_micro, items', cost_micro.counter, cost_micro.recount_items],
    ['cost_micro, steps', cost_micro.counter, cost_micro.recount_steps],
    ...verification.budgets.map(
      ({ name, counter, recount }) => [name, counter, recount] as [string, number, number],
    ),
    ['double verdicts', 0, verification.double_verdicts],
  ]
  const text = table(
    [
      { title: '', value: ([name]) => name },
      { title: 'THE RUN SAYS', value: ([, run]) => count(run), align: 'right' },
      { title: 'A RECOUNT', value: ([, , recount]) => count(recount), align: 'right' },
      { title: '', value: ([, run, recount]) => (run === recount ? '' : '≠ differs'), style: () => 'red' },
    ],
    rows,
    screen,
  )
  const verdict = verification.balanced
    ? paint('green', 'balanced: every item submitted is accounted for once, and the cost adds up')
    : [
        paint('red', `NOT balanced: ${plural(verification.differences.length, 'difference')}`),
        ...verification.differences.map(difference => `  ${clean(difference)}`),
      ].join('\n')
  return `${text}\n\n${verdict}`
}

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, value) => total + value, 0)
