// The schedules of a project, and the next occurrences of all of them.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { RoleRequired } from '../parts/form.tsx'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { reasonWords, scheduleName, whyOff } from '../parts/occurrence.tsx'
import { Worked } from '../parts/schedule-history.tsx'
import { money, Status, When } from '../parts/text.tsx'
import { ofProject, ofSchedule } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

type Schedule = Schemas['Schedule']

const COMING = 12

export const schedulesPage = page({
  path: '/dashboard/projects/{projectId}/schedules',
  query: z.strictObject({ agent_id: z.string().optional(), cursor: z.string().optional() }),
  async show({ api, params: { projectId: project_id }, query, request, member, now }) {
    const { data: schedules = [], response } = await api.GET('/v1/schedules', {
      params: { query: { project_id, ...defined(query) } },
    })
    return {
      title: 'Schedules',
      project_id,
      menu: 'schedules',
      cli: 'assay schedules',
      live: query.cursor === undefined ? { every_s: 15 } : undefined,
      body: (
        <>
          <div class="head">
            <h1>Schedules</h1>
            {member.role !== 'viewer' && (
              <a class="button primary" href={ofProject(project_id, 'schedules/new')}>
                New schedule
              </a>
            )}
          </div>
          {member.role === 'viewer' && <RoleRequired least="operator" />}
          <Schedules schedules={schedules} now={now} />
          {query.agent_id && (
            <p>
              Only those of one agent. <a href={ofProject(project_id, 'schedules')}>Show all</a>
            </p>
          )}
          <Pager request={request} next={nextOf(response)} />
          {schedules.length > 0 && (
            <>
              <h2>Coming up</h2>
              <ComingUp schedules={schedules} now={now} />
            </>
          )}
        </>
      ),
    }
  },
})

const Schedules = ({ schedules, now }: { schedules: readonly Schedule[]; now: number }) => (
  <List
    id="schedules"
    rows={schedules}
    columns={[
      {
        label: 'Schedule',
        cell: one => <a href={ofSchedule(one.id)}>{scheduleName(one)}</a>,
      },
      {
        label: 'When',
        cell: one => (
          <>
            <code>{one.cron}</code> <span class="dim">{one.timezone}</span>
          </>
        ),
      },
      { label: 'Starts', cell: one => one.agent_slug },
      { label: 'Next', cell: one => <Next of={one} now={now} /> },
      { label: 'Last fired', cell: one => <Last of={one} now={now} /> },
      {
        label: 'Worked',
        cell: one => one.last_event && <Worked of={one.last_event} agent_id={one.agent_id} />,
      },
      {
        label: 'Cost',
        numeric: true,
        cell: one => one.last_event?.run && money(one.last_event.run.cost_usd),
      },
      { label: 'Declared', cell: one => (one.declared ? 'in code' : 'by hand') },
    ]}
    empty={<p>No schedule yet. Make one, or declare it above an agent: @schedule.</p>}
  />
)

const Next = ({ of, now }: { of: Schedule; now: number }) =>
  of.enabled ? (
    <When at={of.next_fires[0] ?? null} now={now} />
  ) : (
    <span class="status s-disabled">{whyOff(of.disabled_reason)}</span>
  )

const Last = ({ of: { last_event: last }, now }: { of: Schedule; now: number }) =>
  last === null ? (
    <span class="dim">none yet</span>
  ) : (
    <>
      <Status of={last.outcome} /> <When at={last.scheduled_for} now={now} />
      {last.outcome !== 'fired' && <div class="dim">{reasonWords(last.reason)}</div>}
    </>
  )

const ComingUp = ({ schedules, now }: { schedules: readonly Schedule[]; now: number }) => {
  const fires = schedules.flatMap(schedule => schedule.next_fires.map(at => ({ at, schedule })))
  fires.sort((a, b) => (a.at < b.at ? -1 : 1))
  return (
    <List
      id="coming"
      rows={fires.slice(0, COMING)}
      columns={[
        {
          label: 'At (your time)',
          cell: ({ at }) => (
            <time datetime={at} data-absolute>{`${at.slice(0, 16).replace('T', ' ')} UTC`}</time>
          ),
        },
        { label: 'In', cell: ({ at }) => <When at={at} now={now} /> },
        {
          label: 'Schedule',
          cell: ({ schedule }) => <a href={ofSchedule(schedule.id)}>{scheduleName(schedule)}</a>,
        },
        { label: 'Starts', cell: ({ schedule }) => schedule.agent_slug },
      ]}
      empty={<p>Nothing: every schedule is paused.</p>}
    />
  )
}
