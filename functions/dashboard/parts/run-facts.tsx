// The time and cost of a run, each next to what is usual for its agent, and why it stopped where it did.

import { isPaused } from '../../../shared/items/rules/lifecycle.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { leftText } from '../../../shared/view/estimate.ts'
import { REPORT_CALLS, sayCalls, sayGap } from '../../../shared/view/model-calls.ts'
import { sayGraded, sayNoneNamed, sayPilot, sayResent } from '../../../shared/view/run.ts'
import { sayRunWait } from '../../../shared/view/upstream.ts'
import { ranItems } from '../../../shared/view/worked-share.ts'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { Fact } from './fact.tsx'
import type { Pace, Usual } from './pace.ts'
import { cents, count, counted, money, percent, short, span, When } from './text.tsx'

type Run = Schemas['Run']
type Failures = Schemas['RunFailures']

const speed = (items_per_s: number): string =>
  items_per_s >= 1
    ? `${items_per_s >= 10 ? count(Math.round(items_per_s)) : items_per_s.toFixed(1)} items/s`
    : items_per_s * 60 >= 1
      ? `${(items_per_s * 60).toFixed(1)} items/min`
      : `${(items_per_s * 3600).toFixed(1)} items/h`

const or = <T,>(value: T | null, show: (value: T) => string) => (value === null ? null : show(value))

type FactsOf = {
  run: Run
  pace: Pace
  usual: Usual
  now: number
  /** Of a run with nothing but held items, when the last of them was held. */
  held_at?: string | undefined
}

/** By the limits and caps that bind it; of one that is held or stopped, at the pace so far. */
const Left = ({ run: { estimate }, pace, now }: Omit<FactsOf, 'usual'>) => {
  if (estimate?.seconds == null)
    return (
      <>
        {or(pace.left_ms, ms => `about ${span(ms)}`) ?? 'not known yet'}
        {estimate && <div class="dim wrap">{estimate.message}</div>}
      </>
    )
  return (
    <>
      {leftText(estimate, now)}
      <div class="dim">
        ends <When at={estimate.ends_at} now={now} />
      </div>
      <div class="dim wrap">{estimate.message}</div>
    </>
  )
}

export const RunFacts = ({ run, pace, usual, now, held_at }: FactsOf) => (
  <dl class="facts" id="run-facts" data-live>
    <Fact name="Waited to start" usual={or(usual.waited_ms, span)}>
      {or(pace.waited_ms, span) ?? '—'}
    </Fact>
    {isPaused(run) && run.started_at !== null && held_at !== undefined && (
      <Fact name="Ran until its last item was held" usual={or(usual.ran_ms, span)}>
        {span(Math.max(0, Date.parse(held_at) - Date.parse(run.started_at)))}
      </Fact>
    )}
    {/* While all open items are paused, nothing runs. */}
    {!isPaused(run) && (
      <>
        <Fact name={run.finished_at === null ? 'Running for' : 'Ran for'} usual={or(usual.ran_ms, span)}>
          {or(pace.ran_ms, span) ?? '—'}
        </Fact>
        <Fact name="Pace" usual={or(usual.items_per_s, speed)}>
          {or(pace.items_per_s, speed) ?? '—'}
        </Fact>
      </>
    )}
    {run.finished_at === null && !isPaused(run) && (
      <Fact name="Time left">
        <Left run={run} pace={pace} now={now} />
      </Fact>
    )}
    <Fact name="Cost" usual={or(usual.cost_per_item, cost => money(cost * itemsToPay(run)))}>
      {run.unpriced_item_count > 0 && 'at least '}
      {money(run.cost_usd)}
      {run.budget_cents !== null &&
        ` of ${cents(run.budget_cents)} (${percent(100 * run.cost_usd, run.budget_cents)})`}
    </Fact>
    <Fact name="Tokens">
      {short(run.total_input_tokens)} in · {short(run.total_output_tokens)} out
    </Fact>
  </dl>
)

/** The items that a run's usual cost is of: those that ran, once no more of it will. */
const itemsToPay = (run: Run) =>
  run.finished_at === null && run.stop_reason === null ? run.total_items : ranItems(run)

interface NotesOf {
  run: Run
  failures: Failures
  mayAct: boolean
  now: number
}

/** Notes on a run: why it stopped, what it waits for outside, which items are held, and whether its cost is a lower bound. */
export const RunNotes = ({ run, failures, mayAct, now }: NotesOf) => (
  <div id="run-notes" class="notes" data-live>
    {run.stop_reason !== null && <Stopped run={run} mayAct={mayAct} />}
    {run.waits_for !== null && (
      <p>
        <b>Waits.</b> <bdi>{sayRunWait(run.waits_for, now)}</bdi>{' '}
        <a href={ofProject(run.project_id, `upstreams/${run.waits_for.upstream_id}`)}>
          The upstream, and all that waits for it
        </a>
      </p>
    )}
    {run.pilot_items !== null && <p>{sayPilot(run.pilot_items, run.total_items)}</p>}
    {run.paused > 0 && (
      <p>
        <b>{counted(run.paused, 'item')} held.</b> Its agent asked for a decision, or money ran out: resume or
        dismiss them in{' '}
        <a href={ofProject(run.project_id, `triage?run_id=${run.id}&kind=quarantine`)}>triage</a>.
      </p>
    )}
    {run.failed_checks?.map(({ message, before_run_id, record_id }) => (
      <p>
        <b>Noticed: {message}.</b>{' '}
        {before_run_id !== null && <a href={ofRun(run.id, `compare?with=${before_run_id}`)}>Compare</a>}
        {record_id !== null && <a href={ofItem(record_id)}>One of them</a>}
      </p>
    ))}
    {run.unread_call_count > 0 && <Unread run={run} failures={failures} />}
    {run.suspected_call_count > 0 && (
      <p>
        <b>
          {counted(run.suspected_call_count, 'call')} may be{' '}
          {run.suspected_call_count === 1 ? 'a refusal' : 'refusals'}
        </b>{' '}
        and {run.suspected_call_count === 1 ? 'is' : 'are'} ok nevertheless.{' '}
        <a href={ofProject(run.project_id, `search?reason=suspected_refusal&run_id=${run.id}`)}>Read</a> what
        was answered; where such are refusals, let the agent declare <code>refusals: 'balanced'</code>.{' '}
        <a href={ofRun(run.id, 'grade?refusals=balanced')}>See what would differ</a>.
      </p>
    )}
    {run.unpriced_item_count > 0 && <Unpriced run={run} failures={failures} />}
    <Uncounted run={run} />
    {run.resend_count > 0 && <p>{sayResent(run)}.</p>}
  </div>
)

const FOUND_SHOWN = 3

const Unread = ({ run, failures }: { run: Run; failures: Failures }) => (
  <p>
    <b>Not every call was graded: {sayGraded(run)}.</b> The answers of the others are none that is known, so
    nobody knows whether they worked. <code>read</code> of <code>ctx.llm</code>, or <code>answer</code> of the
    protocol, says what such an answer came to.
    <Later run={run} isEmpty={failures.unread.length === 0} />
    {failures.unread.slice(0, FOUND_SHOWN).map(({ found, calls, record_id }) => (
      <>
        <br />
        <a href={ofItem(record_id)}>{counted(calls, 'call')}</a>: <bdi>{found}</bdi>
      </>
    ))}
  </p>
)

/** Shown where only the first calls of a long run were read and none of these calls is among them. */
const Later = ({ run, isEmpty }: { run: Run; isEmpty: boolean }) => {
  const later = isEmpty ? sayNoneNamed(run) : undefined
  return later === undefined ? null : <> Of these {later}. </>
}

/** Calls that nobody has recorded, and a budget that is not enforced. */
const Uncounted = ({ run: { model_calls, budget_gap } }: { run: Run }) => {
  const said = sayCalls(model_calls)
  if (said === undefined && budget_gap === null) return null
  return (
    <p id="model-calls">
      {budget_gap !== null && <b>Its budget is {sayGap(budget_gap)}.</b>}{' '}
      {said !== undefined && (
        <>
          {said[0]!.toUpperCase()}
          {said.slice(1)}. <span class="dim">{REPORT_CALLS}</span>
        </>
      )}
    </p>
  )
}

const Unpriced = ({ run, failures }: { run: Run; failures: Failures }) => (
  <p>
    {counted(run.unpriced_item_count, 'item')} made a call whose cost is not known, so the cost is a lower
    bound.{' '}
    {failures.unpriced.length > 0 && (
      <>
        Without a price:{' '}
        {failures.unpriced.map(({ model, calls, record_id }, at) => (
          <>
            {at > 0 && ', '}
            <bdi>{model ?? 'calls that name no model'}</bdi> (
            <a href={ofItem(record_id)}>{counted(calls, 'call')}</a>)
          </>
        ))}
        .{' '}
      </>
    )}
    <Later run={run} isEmpty={failures.unread.length + failures.unpriced.length === 0} />
    Give a model its price under <a href={ofProject(run.project_id, 'prices')}>prices</a>; calls that are not
    read have none.
  </p>
)

const WHY: Record<NonNullable<Run['stop_reason']>, (run: Run) => string> = {
  cancelled: () => 'It was cancelled.',
  pilot_failed: () => 'None of its first items was ok, so the others were not started.',
  budget_exceeded: run =>
    `Its budget${run.budget_cents === null ? '' : ` of ${cents(run.budget_cents)}`} was reached, so the rest was not started. Replay what is left, with a budget that holds.`,
  consecutive_failures: () =>
    'Too many items failed one after another, so the rest was not started. Look at the failures below, deploy a fix, then replay them and what is left.',
}

const Stopped = ({ run, mayAct }: { run: Run; mayAct: boolean }) => (
  <p>
    <b>Stopped early.</b> {WHY[run.stop_reason!](run)}{' '}
    {mayAct && run.left_over_count > 0 && (run.finished_at !== null || isPaused(run)) && (
      <a href={ofProject(run.project_id, `recover?run_id=${run.id}&status=not_ok`)}>
        Replay all {counted(run.left_over_count, 'item')} that did not end well
      </a>
    )}
  </p>
)

/** Shows that the counts add up to all items of the run. */
export const Conservation = ({ run }: { run: Run }) => {
  const parts: [string, number][] = [
    ['ok', run.completed - run.degraded_count],
    ['degraded', run.degraded_count],
    ['failed', run.failed - run.budget_exceeded_count],
    ['over budget', run.budget_exceeded_count],
    ['cancelled', run.cancelled],
    ['held', run.paused],
    ['running', run.running],
    ['queued', run.queued],
  ]
  const shown = parts.filter(([, value], at) => at < 3 || value > 0)
  return (
    <p id="conservation" class="conservation" data-live>
      {count(run.total_items)} submitted ={' '}
      {shown.map(([name, value]) => `${count(value)} ${name}`).join(' + ')}{' '}
      <a href={ofRun(run.id, 'verify')}>Verify counts</a>
    </p>
  )
}
