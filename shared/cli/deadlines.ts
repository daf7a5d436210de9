// The commands about deadlines.

import { defined } from '../kernel/defined.ts'
import type { Schemas } from '../sdk/client.ts'
import { TIME_HINT, timeOfDay } from '../view/time.ts'
import { answered, findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { findSchedule } from './find-schedule.ts'
import { printList } from './listing.ts'
import { BY_ID, inFull } from './pages.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Deadline = Schemas['Deadline']

const DEADLINES: Column<Deadline>[] = [
  { title: 'AGENT', value: row => row.agent_slug },
  { title: 'SCHEDULE', value: row => row.schedule_name ?? row.cron ?? 'any run' },
  { title: 'FINISHED BY', value: row => `${row.finished_by} ${row.timezone}` },
  { title: 'NEXT', value: row => row.due_at, optional: 1 },
  { title: 'ID', value: row => row.id },
]

const said = ({ agent_slug, schedule_name, cron, finished_by, timezone }: Deadline) =>
  `${[agent_slug, schedule_name ?? cron].filter(Boolean).join(' ')} must have finished by ${finished_by} (${timezone})`

export async function deadlines(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const path = await projectOf(session, given)
  const [finished_by, deadlineId] = [given.text('set'), given.text('remove')]
  if (finished_by !== undefined && deadlineId !== undefined)
    throw usageFailure('--set and --remove are two commands')
  if (finished_by !== undefined) {
    const [schedule, agent, timezone] = [given.text('schedule'), given.text('agent'), given.text('timezone')]
    if ((schedule === undefined) === (agent === undefined))
      throw usageFailure('--set takes --schedule or --agent: of what must have finished')
    const of =
      schedule === undefined
        ? { agent_id: (await findAgent(api, agent!)).id }
        : { schedule_id: await findSchedule(api, schedule) }
    const at = timeOfDay(finished_by)
    if (at === undefined) throw usageFailure(`--set ${TIME_HINT}`)
    const body = { ...of, finished_by: at, ...defined({ timezone }) }
    const made = await answered(api.POST('/v1/projects/{projectId}/deadlines', { params: { path }, body }))
    output.emit('deadline_set', made, () => `${said(made)}, or the rule not_finished alerts`)
    return EXIT.ok
  }
  if (deadlineId !== undefined) {
    const gone = await answered(
      api.DELETE('/v1/projects/{projectId}/deadlines/{deadlineId}', {
        params: { path: { ...path, deadlineId } },
      }),
    )
    output.emit('deadline_removed', gone, () => 'the deadline is gone')
    return EXIT.ok
  }
  return printList<Deadline>(session, given, {
    event: 'deadline',
    empty: 'nothing must have finished by a time; --set HH:MM says what must',
    ...inFull(() => answered(api.GET('/v1/projects/{projectId}/deadlines', { params: { path } }))),
    ...BY_ID,
    text: (rows, screen) => table(DEADLINES, rows, screen),
  })
}
