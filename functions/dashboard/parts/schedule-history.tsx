// The history of a schedule: for each occurrence whether it fired and whether its run worked, in its own time zone.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofRun } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { OnClock, type OnItsClock, reasonWords, Strip } from './occurrence.tsx'
import { ShareOk } from './share-ok.tsx'
import { count, money, Status, Verdict, When } from './text.tsx'

type Event = Schemas['ScheduleEvent']

export const History = ({
  events,
  agent_id,
  timezone,
  now,
}: OnItsClock & { events: readonly Event[]; agent_id: string }) =>
  events.length === 0 ? (
    <p id="events" class="dim" data-live>
      It has not fired yet.
    </p>
  ) : (
    <>
      <Strip id="strip" events={events} agent_id={agent_id} timezone={timezone} />
      <List
        id="events"
        rows={events}
        columns={[
          {
            label: `Scheduled for (${timezone})`,
            cell: one => <OnClock at={one.scheduled_for} timezone={timezone} />,
          },
          { label: 'Fired', cell: one => <Status of={one.outcome} /> },
          { label: 'Worked', cell: one => <Worked of={one} agent_id={agent_id} /> },
          { label: 'Cost', numeric: true, cell: one => one.run && money(one.run.cost_usd) },
          { label: 'Why', cell: one => <Why of={one} /> },
          { label: 'Run', cell: one => one.run_id && <a href={ofRun(one.run_id)}>its run</a> },
          { label: 'Acted', numeric: true, cell: one => <When at={one.occurred_at} now={now} /> },
        ]}
        empty=""
      />
    </>
  )

/** The share of its run's items that are ok, and how many are not. */
export const Worked = ({ of: { run }, agent_id }: { of: Pick<Event, 'run'>; agent_id: string }) => {
  if (!run) return <Verdict of={null} />
  const notOk = run.degraded_count + run.failed - run.budget_exceeded_count
  return (
    <>
      <ShareOk of={run} agent_id={agent_id} />
      {notOk > 0 && run.total_items > 1 && <span class="dim"> {count(notOk)} not ok</span>}
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
