// The history of a schedule: for each occurrence whether it fired and whether its run worked, in its own time zone.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofRun } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { OnClock, type OnItsClock, reasonWords, Strip } from './occurrence.tsx'
import { count, money, Status, Verdict, When } from './text.tsx'

type Event = Schemas['ScheduleEvent']

export const History = ({ events, timezone, now }: OnItsClock & { events: readonly Event[] }) =>
  events.length === 0 ? (
    <p id="events" class="dim" data-live>
      It has not fired yet.
    </p>
  ) : (
    <>
      <Strip id="strip" events={events} timezone={timezone} />
      <List
        id="events"
        rows={events}
        columns={[
          {
            label: `Scheduled for (${timezone})`,
            cell: one => <OnClock at={one.scheduled_for} timezone={timezone} />,
          },
          { label: 'Fired', cell: one => <Status of={one.outcome} /> },
          { label: 'Worked', cell: one => <Worked of={one} /> },
          { label: 'Cost', numeric: true, cell: one => one.run && money(one.run.cost_usd) },
          { label: 'Why', cell: one => <Why of={one} /> },
          { label: 'Run', cell: one => one.run_id && <a href={ofRun(one.run_id)}>its run</a> },
          { label: 'Acted', numeric: true, cell: one => <When at={one.occurred_at} now={now} /> },
        ]}
        empty=""
      />
    </>
  )

/** The verdict of an occurrence's run, and how many of its items did not work. */
export const Worked = ({ of: { run } }: { of: Pick<Event, 'run'> }) => {
  if (!run) return <Verdict of={null} />
  const notOk = run.degraded_count + run.failed
  return (
    <>
      <Verdict of={run.worst_outcome_status} />
      {notOk > 0 && run.total_items > 1 && (
        <span class="dim">
          {' '}
          {count(notOk)} of {count(run.total_items)}
        </span>
      )}
    </>
  )
}

const Why = ({ of: { reason, detail } }: { of: Event }) => (
  <>
    {reasonWords(reason)}
    {detail && (
      <div class="trouble">
        {detail.line !== null && `Line ${detail.line}: `}
        {detail.text}
      </div>
    )}
  </>
)
