// What became of the moments a schedule named: as a strip of marks, and in words.

import type { Schemas } from '../../../shared/sdk/client.ts'
import type { OccurrenceOutcome, OccurrenceReason } from '../../../shared/starts/vocabulary.ts'

type Event = Schemas['ScheduleEvent']

/** What each reason means, and what helps. */
const REASONS: Record<OccurrenceReason, string> = {
  invalid_cron: 'Its cron cannot be read: correct it, then enable it.',
  invalid_timezone: 'Its time zone is not known: correct it, then enable it.',
  agent_not_found: 'Its agent is gone: delete the schedule.',
  no_deployed_version: 'Its agent has no deployment: deploy it.',
  plan_limit: 'Too many runs were open: let some end, or raise the limit in the settings.',
  agent_lookup_failed: 'The agent could not be looked up: see the log of the tick.',
  account_lookup_failed: 'The account could not be looked up: see the log of the tick.',
  dispatch_failed: 'The run could not be written: see the log of the tick.',
  source_failed: 'Its items could not be read: nothing was started.',
  source_empty: 'Its source had no items: nothing was started.',
  overdue: 'The service was away; a newer moment has fired instead.',
  run_never_started: 'The run was submitted, but no worker took it: see whether a consumer runs.',
  manual: 'Started by hand.',
}

export const reasonWords = (reason: OccurrenceReason | null): string =>
  reason === null ? '' : REASONS[reason]

/** Of a schedule that fires no more. */
export const whyOff = (reason: Schemas['Schedule']['disabled_reason']): string =>
  reason === 'operator' ? 'paused' : `off: ${reasonWords(reason)}`

const MARK = 14
const GAP = 3
const SHAPES: Record<OccurrenceOutcome, string> = {
  fired: 'fill-ok',
  skipped: 'fill-degraded',
  error: 'fill-failed',
  missed: 'fill-degraded',
}

/** Oldest to the left; what did not fire is shorter as well as of another colour. */
export const Strip = ({ events, id }: { events: readonly Event[]; id: string }) => (
  <figure class="strip" id={id} data-live>
    <svg
      width={events.length * (MARK + GAP)}
      height="28"
      role="img"
      aria-label={`The last ${events.length} moments: ${summary(events)}`}
    >
      {[...events].reverse().map((event, at) => {
        const isBad = event.outcome !== 'fired' || event.reason === 'run_never_started'
        const height = isBad ? 14 : 28
        return (
          <rect
            class={isBad && event.outcome === 'fired' ? 'fill-failed' : SHAPES[event.outcome]}
            x={at * (MARK + GAP)}
            y={28 - height}
            width={MARK}
            height={height}
            rx="2"
          >
            <title>{`${event.scheduled_for}: ${event.outcome}${event.reason ? `, ${event.reason}` : ''}`}</title>
          </rect>
        )
      })}
    </svg>
    <figcaption class="dim">{summary(events)}</figcaption>
  </figure>
)

function summary(events: readonly Event[]): string {
  const counts = Map.groupBy(events, event => event.outcome)
  const words = [...counts].map(([outcome, of]) => `${of.length} ${outcome}`)
  return words.length === 0 ? 'no moment yet' : words.join(', ')
}
