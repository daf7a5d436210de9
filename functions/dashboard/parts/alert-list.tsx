// Lists alerts with the names of what they are about; resolved ones of one rule and one agent become one line with a
// count. An open one has its own line: a rule has one for each schedule or agent, so each is another problem.

import type { AlertRule } from '../../../shared/alerts/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofAgent, ofProject, ofRun, ofSchedule } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { scheduleName } from './occurrence.tsx'
import { counted, When } from './text.tsx'

type Alert = Schemas['Alert']

/** The project's agents and schedules, which give names to the ids in an alert. */
export interface Named {
  agents: readonly Schemas['Agent'][]
  schedules: readonly Schemas['Schedule'][]
}

/** The pages for alerts about a whole project. */
const PAGES: Partial<Record<AlertRule, string>> = {
  budget_near: 'settings',
  consumer_stalled: 'runs',
  items_held: 'triage?kind=quarantine',
  upstream_unavailable: 'upstreams',
}

/** Each open alert, and the newest resolved one of each rule and agent with the earlier ones it stands for. */
function groupsOf(alerts: readonly Alert[]): { newest: Alert; earlier: Alert[] }[] {
  const groups = Map.groupBy(alerts, ({ id, rule, agent_id, resolved_at }) =>
    resolved_at === null ? id : `${rule} ${agent_id}`,
  )
  return [...groups.values()].map(([newest, ...earlier]) => ({ newest: newest!, earlier }))
}

export const AlertList = ({
  alerts,
  named,
  now,
  mayChange,
}: {
  alerts: readonly Alert[]
  named: Named
  now: number
  mayChange: boolean
}) => (
  <List
    id="alerts"
    rows={groupsOf(alerts)}
    columns={[
      { label: 'About', cell: ({ newest }) => <a href={linkOf(newest)}>{aboutOf(newest, named)}</a> },
      {
        label: 'What happened',
        cell: ({ newest, earlier }) => (
          <>
            {newest.message}
            <br />
            <span class="dim">{newest.advice}</span>
            <Earlier of={earlier} named={named} now={now} />
          </>
        ),
      },
      { label: 'Actions', cell: ({ newest }) => <Act of={newest} mayChange={mayChange} /> },
      { label: 'State', cell: ({ newest }) => <State of={newest} now={now} /> },
      { label: 'Since', cell: ({ newest }) => <When at={newest.since} now={now} /> },
    ]}
    empty={
      <p>No alert. A rule alerts once about a schedule, an agent or a project until that is resolved.</p>
    }
  />
)

/** The page that does what an alert's command does, by the beginning of the command. */
const ACTS: readonly [
  begin: string,
  label: string,
  page: (alert: Alert) => string | null,
  least?: 'operator',
][] = [
  [
    'assay triage --run',
    'Decide in triage',
    one => one.run_id && ofProject(one.project_id, `triage?run_id=${one.run_id}`),
  ],
  ['assay triage --kind quarantine', 'Decide in triage', one => ofProject(one.project_id, PAGES.items_held)],
  [
    'assay recover --run',
    'Replay what did not end well',
    one =>
      one.run_id &&
      ofProject(
        one.project_id,
        `recover?run_id=${one.run_id}&${one.command.includes(' --all') ? 'status=not_ok' : 'kind=dlq'}`,
      ),
    'operator',
  ],
  ['assay watch', 'Open the run', one => one.run_id && ofRun(one.run_id)],
  ['assay schedules', 'Open the schedule', one => one.schedule_id && ofSchedule(one.schedule_id)],
  ['assay upstreams', 'See what is waited for', one => ofProject(one.project_id, PAGES.upstream_unavailable)],
  ['assay prices', 'Set a price', one => ofProject(one.project_id, 'prices')],
  ['assay projects', 'Change the budget', one => ofProject(one.project_id, 'settings')],
]

/** A link to the page that does it, for those who may see that; where there is none, the command for a terminal. */
const Act = ({ of, mayChange }: { of: Alert; mayChange: boolean }) => {
  const [, label, page, least] = ACTS.find(([begin]) => of.command.startsWith(begin)) ?? []
  const href = page?.(of)
  if (least !== undefined && !mayChange)
    return (
      <span class="dim">
        {label}: {least}s and owners can
      </span>
    )
  return href ? <a href={href}>{label}</a> : <code>{of.command}</code>
}

const Earlier = ({ of, named, now }: { of: readonly Alert[]; named: Named; now: number }) =>
  of.length === 0 ? (
    ''
  ) : (
    <details id={`earlier-${of[0]!.id}`}>
      <summary>and {counted(of.length, 'alert')} like it before</summary>
      <ul>
        {of.map(one => (
          <li>
            <a href={linkOf(one)}>{aboutOf(one, named)}</a>: {one.message} <When at={one.since} now={now} />
          </li>
        ))}
      </ul>
    </details>
  )

const State = ({ of: { resolved_at }, now }: { of: Alert; now: number }) =>
  resolved_at === null ? (
    'open'
  ) : (
    <>
      resolved <When at={resolved_at} now={now} />
    </>
  )

function aboutOf({ schedule_id, agent_id }: Alert, { agents, schedules }: Named): string {
  const schedule = schedules.find(one => one.id === schedule_id)
  if (schedule !== undefined) return scheduleName(schedule)
  if (agent_id === null) return 'The project'
  return agents.find(one => one.id === agent_id)?.slug ?? 'A deleted agent'
}

function linkOf({ rule, project_id, run_id, schedule_id, agent_id }: Alert): string {
  if (run_id !== null) return ofRun(run_id)
  if (schedule_id !== null) return ofSchedule(schedule_id)
  const page = PAGES[rule]
  if (page !== undefined || agent_id === null) return ofProject(project_id, page)
  return ofAgent(agent_id)
}
