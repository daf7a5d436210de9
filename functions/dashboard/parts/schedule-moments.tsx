// The next occurrences of a schedule, in its own time zone.

import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { List } from './list.tsx'
import type { OnItsClock } from './occurrence.tsx'
import { When } from './text.tsx'

const NOTES = {
  skipped: 'The clock jumps over it: nothing fires.',
  repeated: 'The clock shows it twice: it fires the first time.',
}

/** The schedule's next occurrences. Called before the input is checked, so that a bad cron is reported first. */
export const momentsOf = async (api: Client, { cron, timezone }: { cron: string; timezone: string }) =>
  (await api.GET('/v1/schedules/preview', { params: { query: { cron, timezone } } })).data!.moments

/** Checks a cron and a zone each for itself, so that both faults are found. */
export const clockChecks = (api: Client, { cron, timezone }: { cron: string; timezone: string }) => [
  momentsOf(api, { cron, timezone: 'UTC' }),
  momentsOf(api, { cron: '0 0 * * *', timezone }),
]

export const Moments = ({
  moments,
  timezone,
  now,
}: OnItsClock & Pick<Schemas['SchedulePreview'], 'moments'>) => (
  <List
    id="moments"
    rows={moments}
    columns={[
      { label: `Local time (${timezone})`, cell: moment => moment.wall_clock.replace('T', ' ') },
      { label: 'In', cell: moment => (moment.at === null ? '—' : <When at={moment.at} now={now} />) },
      { label: 'Note', cell: moment => moment.note && <span class="v-degraded">{NOTES[moment.note]}</span> },
    ]}
    empty={<p>Never.</p>}
  />
)
