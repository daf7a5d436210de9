// By when something must have finished: the deadlines of a project, and the form for one more.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../shell/addresses.ts'
import type { Entered } from '../shell/page.ts'
import { Field, Press } from './form.tsx'
import { List } from './list.tsx'
import { scheduleName } from './occurrence.tsx'

export const Deadlines = ({
  project_id,
  deadlines,
  schedules,
  mayChange,
  entered,
}: {
  project_id: string
  deadlines: readonly Schemas['Deadline'][]
  schedules: readonly Schemas['Schedule'][]
  mayChange: boolean
  entered: Entered
}) => (
  <>
    <List
      id="deadlines"
      rows={deadlines}
      columns={[
        { label: 'What', cell: one => whatOf(one, schedules) },
        { label: 'Finished by', cell: one => `${one.finished_by} ${one.timezone}` },
        {
          label: '',
          numeric: true,
          cell: one =>
            mayChange && (
              <Press label="Remove" action={ofProject(project_id, `deadlines/${one.id}/delete`)} />
            ),
        },
      ]}
      empty={<p>Nothing must have finished by a time of day. Set one, and silence is told too.</p>}
    />
    {mayChange && (
      <form class="filters" method="post" action={ofProject(project_id, 'deadlines')}>
        <Field label="Agent (its slug)">
          <input name="agent" required value={entered.agent ?? ''} placeholder="nightly" />
        </Field>
        <Field label="Cron of its schedule; leave empty for any run">
          <input name="cron" value={entered.cron ?? ''} placeholder="0 2 * * *" />
        </Field>
        <Field label="Finished by">
          <input name="finished_by" required value={entered.finished_by ?? ''} placeholder="06:30" />
        </Field>
        <Field label="Time zone; the schedule's own unless told">
          <input name="timezone" value={entered.timezone ?? ''} placeholder="Europe/Berlin" />
        </Field>
        <button class="primary">Set</button>
      </form>
    )}
  </>
)

/** By its name, where the schedule is among those that are known and has one. */
function whatOf(one: Schemas['Deadline'], schedules: readonly Schemas['Schedule'][]): string {
  const schedule = schedules.find(({ id }) => id === one.schedule_id)
  if (schedule !== undefined) return scheduleName(schedule)
  return one.cron === null ? one.agent_slug : `${one.agent_slug} at ${one.cron}`
}
