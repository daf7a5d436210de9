// The results of a schedule's occurrences and of the runs they started, as two strips of marks and in words.

import { useContext } from 'hono/jsx'
import type { Outcome } from '../../../shared/items/vocabulary.ts'
import { wallClock } from '../../../shared/schedules/rules/fire-times.ts'
import type { OccurrenceOutcome, OccurrenceReason } from '../../../shared/schedules/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { type FailureRule, sayWorkedShare, workedTone } from '../../../shared/view/worked-share.ts'
import { FailureRules } from './share-ok.tsx'

type Event = Schemas['ScheduleEvent']

/** What each reason means, and how to fix it. */
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

/** Why a schedule no longer fires. */
export const whyOff = (reason: Schemas['Schedule']['disabled_reason']): string =>
  reason === 'operator' ? 'paused' : `off: ${reasonWords(reason)}`

/** The schedule's name, else its agent and cron. */
export const scheduleName = ({ name, agent_slug, cron }: Schemas['Schedule']): string =>
  name ?? `${agent_slug} at ${cron}`

/** What shows times of a schedule: its zone, and the present. */
export interface OnItsClock {
  timezone: string
  now: number
}

/** A time in the schedule's own time zone. */
export const OnClock = ({ at, timezone }: { at: string; timezone: string }) => (
  <time datetime={at}>{wallClock(new Date(at), timezone)}</time>
)

const MARK = 14
const GAP = 3
const TALL = 20

interface Mark {
  fill: string
  height: number
  title: string
}

const FIRED: Record<OccurrenceOutcome, string> = {
  fired: 'ok',
  skipped: 'degraded',
  error: 'failed',
  missed: 'degraded',
}
const WORKED: Record<Outcome, number> = { ok: TALL, degraded: 13, failed: 8 }

/** An occurrence that did not fire has a shorter mark as well as another colour. */
function firedMark({ outcome, reason }: Event): Omit<Mark, 'title'> {
  const isBad = outcome !== 'fired' || reason === 'run_never_started'
  const fill = isBad && outcome === 'fired' ? 'failed' : FIRED[outcome]
  return { fill, height: isBad ? 10 : TALL }
}

/**
 * The worse it worked, the shorter the mark; a run of which nothing has ended is a line, and no run leaves its place
 * empty.
 */
function workedMark({ run, run_id }: Event, rule: FailureRule): Omit<Mark, 'title'> {
  const verdict = run == null ? null : workedTone(run, rule)
  if (verdict !== null) return { fill: verdict, height: WORKED[verdict] }
  return { fill: 'queued', height: run_id === null ? 0 : 3 }
}

const Marks = ({ label, marks }: { label: string; marks: readonly Mark[] }) => (
  <svg width={marks.length * (MARK + GAP)} height={TALL} role="img" aria-label={label}>
    {marks.map(({ fill, height, title }, at) => (
      <rect
        class={`fill-${fill}`}
        x={at * (MARK + GAP)}
        y={TALL - height}
        width={MARK}
        height={height}
        rx="2"
      >
        <title>{title}</title>
      </rect>
    ))}
  </svg>
)

/** Oldest at the left, each occurrence above its run: an occurrence may fire in time and its run still not work. */
export const Strip = ({
  events,
  id,
  agent_id,
  timezone,
}: {
  events: readonly Event[]
  id: string
  agent_id: string
  timezone: string
}) => {
  const rule = useContext(FailureRules)(agent_id)
  const shown = [...events].reverse()
  const marksOf = (mark: (event: Event) => Omit<Mark, 'title'>, wordsOf: (event: Event) => string) =>
    shown.map(event => {
      const when = wallClock(new Date(event.scheduled_for), timezone)
      return { ...mark(event), title: `${when}: ${wordsOf(event)}` }
    })
  const fired = counts(events.map(event => event.outcome))
  const worked = toneCounts(events, rule)
  const why = ({ outcome, reason }: Event) => (reason === null ? outcome : `${outcome}, ${reason}`)
  return (
    <figure class="strip" id={id} data-live>
      <div class="strip-rows">
        <span class="dim">Fired</span>
        <Marks label={`Fired: ${fired}`} marks={marksOf(firedMark, why)} />
        <span class="dim">Worked</span>
        <Marks label={`Worked: ${worked}`} marks={marksOf(one => workedMark(one, rule), workedWords)} />
      </div>
      <figcaption class="dim">
        {fired}. Worked: {worked}.
      </figcaption>
    </figure>
  )
}

const workedWords = ({ run, run_id }: Event): string =>
  (run == null ? null : sayWorkedShare(run)) ?? (run_id === null ? 'no run' : 'no verdict')

const TONES = { ok: 'all ok', degraded: 'most ok', failed: 'too many not ok', none: 'no verdict' } as const

/** How many occurrences worked how well. */
function toneCounts(events: readonly Event[], rule: FailureRule): string {
  const fired = events.filter(event => event.run_id !== null)
  return counts(fired.map(({ run }) => TONES[run == null ? 'none' : (workedTone(run, rule) ?? 'none')]))
}

function counts(words: readonly string[]): string {
  const counted = [...Map.groupBy(words, word => word)].map(([word, of]) => `${of.length} ${word}`)
  return counted.join(', ') || 'none yet'
}
