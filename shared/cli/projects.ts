// Commands that list, create, rename, configure and delete projects, and the lookup of the project a command is about.

import { defined } from '../kernel/defined.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { clean, money } from './format.ts'
import { printList } from './listing.ts'
import { BY_ID, inFull } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Project = Schemas['Project']

const dollars = (cents: number) => money(cents / 100)
const leftOf = ({ period, left_cents, limit_cents }: Schemas['Budget']) =>
  `${period}: ${dollars(left_cents)} of ${dollars(limit_cents)} left`

const PROJECTS: Column<Project>[] = [
  { title: 'NAME', value: row => row.name, least: 10 },
  { title: 'ID', value: row => row.id },
  { title: 'RUNNING', value: row => `${row.running}/${row.concurrency}`, align: 'right' },
  { title: 'SPENT', value: row => dollars(row.spent_cents), align: 'right' },
  {
    title: 'CREDIT',
    value: row => (row.credit_cents === null ? '-' : dollars(row.credit_cents)),
    align: 'right',
  },
  { title: 'BUDGETS', value: row => row.budgets.map(leftOf).join(', ') || '-', optional: 1 },
]

/** Numeric settings, by the option that sets each. */
export const NUMBERS = {
  concurrency: 'concurrency',
  'partition-concurrency': 'partition_concurrency',
  'open-runs': 'open_runs',
  'requests-per-second': 'requests_per_second',
  'step-retention-days': 'step_retention_days',
  'payload-retention-days': 'payload_retention_days',
  'record-retention-days': 'record_retention_days',
} as const

export const projects = (session: Session, given: Given): Promise<ExitCode> =>
  printList<Project>(session, given, {
    event: 'project',
    empty: 'no projects',
    ...inFull(() => answered(session.api.GET('/v1/projects'))),
    ...BY_ID,
    text: (rows, screen) => table(PROJECTS, rows, screen),
  })

export async function createProject({ api, output }: Session, given: Given): Promise<void> {
  const project = await answered(api.POST('/v1/projects', { body: { name: given.arg(0) } }))
  output.emit(
    'project_created',
    project,
    ({ program }) =>
      `${clean(project.name)} (${project.id})\nTo make a key for it: ${program} keys create NAME --project ${project.id}`,
  )
}

export async function renameProject({ api, output }: Session, given: Given): Promise<void> {
  const before = await projectNamed(api, given.arg(0))
  const params = { path: { projectId: before.id } }
  const project = await answered(
    api.PATCH('/v1/projects/{projectId}', { params, body: { name: given.arg(1) } }),
  )
  output.emit('project', project, () => `${clean(before.name)} is called ${clean(project.name)} now`)
}

export async function projectSettings({ api, output }: Session, given: Given): Promise<void> {
  const { id } = await projectNamed(api, given.arg(0))
  const params = { path: { projectId: id } }
  const body = changesOf(given)
  const project = await answered(
    Object.keys(body).length === 0
      ? api.GET('/v1/projects/{projectId}', { params })
      : api.PATCH('/v1/projects/{projectId}', { params, body }),
  )
  const names = [...Object.values(NUMBERS), 'keys_may_mint'] as const
  output.emit('project', project, () =>
    [
      `${clean(project.name)} (${project.id})`,
      ...names.map(name => `${name.padEnd(24)} ${project[name] ?? 'no limit'}`),
    ].join('\n'),
  )
}

function changesOf(given: Given): Record<string, number | boolean | null> {
  const numbers = Object.entries(NUMBERS).map(([option, setting]) => [setting, given.wholeOrNone(option)])
  const mint = given.text('keys-may-mint')
  return defined({ ...Object.fromEntries(numbers), keys_may_mint: mint && mint === 'yes' })
}

export async function deleteProject({ api, output }: Session, given: Given): Promise<void> {
  const project = await projectNamed(api, given.arg(0))
  const confirm = given.text('confirm')
  if (confirm !== project.name)
    throw usageFailure('everything in it is deleted for good: repeat its name with --confirm NAME', {
      hint: `it is called ${clean(project.name)}; assay backup keeps what is in it`,
    })
  await api.DELETE('/v1/projects/{projectId}', {
    params: { path: { projectId: project.id }, query: { confirm } },
  })
  output.emit(
    'project_deleted',
    { id: project.id, name: project.name },
    () =>
      `${clean(project.name)} is deleted: its keys are dead within five seconds, what was in it goes in the background`,
  )
}

/** Finds a project by id or name. @throws Failure `usage` if none or several match */
async function projectNamed(api: Session['api'], word: string): Promise<Project> {
  const rows = await answered(api.GET('/v1/projects'))
  const found = rows.filter(row => row.id === word || row.name === word)
  if (found.length === 1) return found[0]!
  throw usageFailure(
    found.length === 0 ? `there is no project "${word}"` : `several projects are called "${word}"`,
    {
      hint: `there are: ${rows.map(row => `${row.name} (${row.id})`).join(', ')}`,
      next: 'assay projects',
    },
  )
}

/** The project that --project names, else the one of the key or member. @throws Failure `usage` if there are several */
export async function projectOf({ api }: Pick<Session, 'api'>, given: Given): Promise<{ projectId: string }> {
  const named = given.text('project')
  if (named !== undefined) return { projectId: named }
  const rows = await answered(api.GET('/v1/projects'))
  if (rows.length === 1) return { projectId: rows[0]!.id }
  const known = rows.map(row => `${row.name} (${row.id})`).join(', ')
  throw usageFailure('--project is missing', { hint: `there are: ${known}`, next: 'assay projects' })
}
