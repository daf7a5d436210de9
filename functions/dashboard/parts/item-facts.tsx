// The facts of an item besides its steps: the reason for its verdict, its cost and time, its input and output.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { itemErrorMeaning, nextOf, reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { sayReused } from '../../../shared/view/recovery.ts'
import { sayGraded, saySuspected } from '../../../shared/view/run.ts'
import { ofItem, ofProject } from '../shell/addresses.ts'
import { Fact } from './fact.tsx'
import { Payload } from './payload.tsx'
import type { Item, Payloads, TraceStep } from './record.ts'
import { count, counted, money, short, span, When } from './text.tsx'
import type { Viewing } from './views.tsx'

function okWords({ available_actions, corrected_outcome_status }: Item): string {
  if (corrected_outcome_status !== null)
    return 'It ran, and as recorded it worked; people say that it did not.'
  return available_actions.includes('confirm')
    ? 'It ran, and it worked, unless an answer is a refusal: the trace says which may be one, and by which words.'
    : 'It ran, and it worked.'
}

const OfCause = ({ cause }: { cause: Schemas['Cause'] | undefined }) =>
  cause === undefined ? (
    ''
  ) : (
    <p id="cause">
      <span class="dim">Cause</span>{' '}
      <a href={ofProject(cause.project_id, `causes/${cause.id}`)}>
        <bdi>{cause.title}</bdi>
      </a>
      {cause.waiting > 1 && <span class="dim"> · {counted(cause.waiting, 'item')} to decide</span>}
    </p>
  )

/** Says in words what happened and what to do. */
export const Reason = ({
  item,
  why,
  cause,
}: {
  item: Item
  why: string | undefined
  cause: Schemas['Cause'] | undefined
}) => {
  if (why !== undefined)
    return (
      <div class="reason" id="reason" data-live>
        <p>{why}</p>
        <OfCause cause={cause} />
      </div>
    )
  if (item.outcome_status === 'ok')
    return (
      <p class="reason" id="reason" data-live>
        {okWords(item)}
      </p>
    )
  const meaning = item.error_code !== null ? itemErrorMeaning(item.error_code) : undefined
  const reason = item.outcome_reason === null ? undefined : reasonMeaning(item.outcome_reason)
  const next = nextOf(item)
  return (
    <div class="reason" id="reason" data-live>
      <p>
        <b>
          {meaning ??
            (reason === undefined ? 'It was cancelled before it had a verdict.' : `${capital(reason)}.`)}
        </b>
      </p>
      {item.error_message !== null && (
        <>
          <p>
            <code>{item.error_code}</code>
          </p>
          <p dir="auto">{item.error_message}</p>
        </>
      )}
      {item.degraded_reason !== null && <p dir="auto">{item.degraded_reason}</p>}
      {next !== undefined && <p class="dim">{next}</p>}
      <OfCause cause={cause} />
    </div>
  )
}

export const Figures = ({ item, steps, now }: { item: Item; steps: readonly TraceStep[]; now: number }) => {
  const end = endOf(item, steps, now)
  return (
    <dl class="facts" id="figures" data-live>
      <Fact name="Cost">
        {item.unpriced && 'at least '}
        {money(item.cost_usd)}
        {item.unpriced && <span class="dim"> (a model has no known price)</span>}
      </Fact>
      <Fact name="Model calls">
        {item.unread_call_count > 0 ? sayGraded(item) : count(item.model_call_count)}
        {item.suspected_call_count > 0 && `, ${saySuspected(item)}`}
      </Fact>
      <Fact name="Tokens">
        {short(item.total_input_tokens)} in · {short(item.total_output_tokens)} out
      </Fact>
      <Fact name="Took">
        {item.started_at === null ? 'not started' : span(Math.max(0, end - Date.parse(item.started_at)))}
      </Fact>
      <Fact name="Attempts">{count(item.attempt)}</Fact>
      {item.code_version !== null && (
        <Fact name="Code">
          <bdi>{item.code_version}</bdi>
        </Fact>
      )}
      {item.reused_versions.length > 0 && <Fact name="Reused">{sayReused(item.reused_versions)}</Fact>}
      <Fact name="Submitted">
        <When at={item.created_at} now={now} />
      </Fact>
    </dl>
  )
}

/** The item's end in ms. A held item ends with its last step, since it only waits after that; an open one ends now. */
function endOf({ completed_at, status }: Item, steps: readonly TraceStep[], now: number): number {
  if (completed_at !== null) return Date.parse(completed_at)
  const ends = steps.map(step => Date.parse(step.started_at) + step.duration_ms)
  return status === 'paused' && ends.length > 0 ? Math.max(...ends) : now
}

function absence(item: Item, what: 'input' | 'output'): string {
  if (item.payloads_purged_at !== null)
    return `Kept no longer: the retention of the project took it on ${item.payloads_purged_at.slice(0, 10)}.`
  return what === 'output' && item.completed_at === null ? 'none yet' : 'none'
}

interface InAndOutProps {
  item: Item
  texts: Payloads
  viewingAt(anchor: string): Viewing
}

export const InAndOut = ({ item, texts, viewingAt }: InAndOutProps) => (
  <div class="cards">
    {(['input', 'output'] as const).map(part => (
      <section class="card" aria-label={capital(part)} id={part} data-live={part === 'output' || undefined}>
        <h2>{capital(part)}</h2>
        <Payload
          text={texts[part]}
          raw={ofItem(item.id, `raw/${part}`)}
          empty={absence(item, part)}
          viewing={viewingAt(part)}
        />
      </section>
    ))}
  </div>
)

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
