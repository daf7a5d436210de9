// The deadlines of a project, and the form for a new one.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../shell/addresses.ts'
import type { Entered } from '../shell/page.ts'
import { Field, Press } from './form.tsx'
import { List } from './list.tsx'
import { scheduleName } from './occurrence.tsx'

interface Props {
  project_id: string
  deadlines: readonly Schemas['Deadline'][]
  agents: readonly Schemas['Agent'][]
  schedules: readonly Schemas['Schedule'][]
  mayChange: boolean
  entered: Entered
}

export const Deadlines = ({ project_id, deadlines, agents, schedules, mayChange, entered }: Props) => (
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
      empty={<p>Nothing must have finished by a time of day. Set one, and silence is reported too.</p>}
    />
    {mayChange && <DeadlineForm {...{ project_id, agents, schedules, entered }} />}
  </>
)

const DeadlineForm = ({ project_id, agents, schedules, entered }: Omit<Props, 'deadlines' | 'mayChange'>) => (
  <form class="filters" method="post" action={ofProject(project_id, 'deadlines')} novalidate>
    <Field label="What must have finished">
      <select name="of" required>
        <Choices
          label="A run of a schedule"
          kind="schedule"
          chosen={entered.of}
          among={schedules.map(one => [one.id, scheduleName(one)])}
        />
        <Choices
          label="Any run of an agent"
          kind="agent"
          chosen={entered.of}
          among={agents.map(one => [one.id, one.slug])}
        />
      </select>
    </Field>
    <Field label="Finished by">
      <input name="finished_by" required value={entered.finished_by ?? ''} placeholder="06:30" />
    </Field>
    <Field label="Time zone; the schedule's own by default">
      <input name="timezone" value={entered.timezone ?? ''} placeholder="Europe/Berlin" />
    </Field>
    <button class="primary">Set</button>
  </form>
)

const Choices = ({
  label,
  kind,
  chosen,
  among,
}: {
  label: string
  kind: 'agent' | 'schedule'
  chosen: string | undefined
  among: readonly (readonly [id: string, name: string])[]
}) => (
  <optgroup label={label}>
    {among.map(([id, name]) => (
      <option value={`${kind}:${id}`} selected={chosen === `${kind}:${id}`}>
        {name}
      </option>
    ))}
  </optgroup>
)

/** The schedule's name where it is known, else the agent, with the cron where there is one. */
function whatOf(one: Schemas['Deadline'], schedules: readonly Schemas['Schedule'][]): string {
  const schedule = schedules.find(({ id }) => id === one.schedule_id)
  if (schedule !== undefined) return scheduleName(schedule)
  return one.cron === null ? one.agent_slug : `${one.agent_slug} at ${one.cron}`
}
