// The commands that list the versions of an agent, and make an older one current again.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { type Agent, type Api, answered, findAgent, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { dryRunText, planLines, secretLines } from './deploy-view.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { ago } from './format.ts'
import { printList } from './listing.ts'
import { BY_ID, everyRow, type PageQuery, pageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Version = Schemas['Deployment']

const columns = (now: number): Column<Version>[] => [
  { title: '', value: row => (row.is_current ? '▸' : ''), style: () => 'green' },
  { title: 'VERSION', value: row => String(row.version), align: 'right' },
  { title: 'DEPLOYED', value: row => ago(row.created_at, now) },
  { title: 'EXTERNAL ID', value: row => row.external_id ?? '-', least: 12 },
  { title: 'RUNS', value: row => row.url ?? `bundle ${row.bundle_hash!.slice(0, 12)}`, least: 12 },
  { title: 'SCHEDULES', value: row => String(row.declaration.schedules?.length ?? 0), align: 'right' },
  { title: 'TRIGGERS', value: row => String(row.declaration.triggers?.length ?? 0), align: 'right' },
]

export async function deployments(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const agent = await findAgent(api, given.arg(0))
  const external_id = given.text('external-id')
  return printList<Version>(session, given, {
    event: 'deployment',
    empty: 'no deployments',
    page: LIMITS.deployments_page.max,
    read: versionsPage(api, agent, external_id),
    ...BY_ID,
    text: (rows, screen) => table(columns(now()), rows, screen),
  })
}

export async function promote(session: Session, given: Given): Promise<ExitCode> {
  const agent = await findAgent(session.api, given.arg(0))
  const wanted = given.arg(1)
  if (!/^\d+$/.test(wanted)) throw usageFailure(`"${wanted}" is not the number of a version`)
  const found = await findVersion(session.api, agent, version => version.version === Number(wanted))
  if (found === undefined) throw noVersion(agent, `${agent.slug} has no version ${wanted}`)
  return makeCurrent(session, agent, found, given.flag('dry-run'))
}

/** Makes the version before the current one current. @throws Failure if there is none */
export async function rollback(session: Session, given: Given): Promise<ExitCode> {
  const agent = await findAgent(session.api, given.arg(0))
  const current = agent.deployed_version ?? 0
  const found = await findVersion(session.api, agent, version => version.version < current)
  if (found === undefined) throw noVersion(agent, `${agent.slug} has no version before ${current}`)
  return makeCurrent(session, agent, found, given.flag('dry-run'))
}

async function makeCurrent(
  { api, output }: Session,
  { slug, id: agentId }: Agent,
  { id: deploymentId }: Version,
  dry_run: boolean,
): Promise<ExitCode> {
  const answer = await answered(
    api.POST('/v1/agents/{agentId}/deployments/{deploymentId}/promote', {
      params: { path: { agentId, deploymentId } },
      body: { dry_run },
    }),
  )
  const { plan, version } = answer
  if ('dry_run' in answer) {
    const { created, current_version, changes } = answer
    const result = {
      slug,
      agent: 'exists' as const,
      version,
      created,
      current_version,
      changes,
      bytes: 0,
      env: [],
    }
    output.emit('plan', { ...result, ...plan }, screen => dryRunText({ ...result, plan }, screen))
    return EXIT.ok
  }
  output.emit('promoted', { slug, agent_id: agentId, version, ...plan }, screen =>
    [
      `${screen.paint('bold', slug)}: ${screen.paint('green', `version ${version} is current`)}`,
      ...planLines(plan, screen, 'done'),
      ...secretLines(plan, screen),
    ].join('\n'),
  )
  return EXIT.ok
}

/** The newest version for which `isIt` is true. */
export async function findVersion(
  api: Api,
  agent: Pick<Agent, 'id'>,
  isIt: (version: Version) => boolean,
): Promise<Version | undefined> {
  for await (const version of everyRow(versionsPage(api, agent), LIMITS.deployments_page.max))
    if (isIt(version)) return version
  return undefined
}

const versionsPage =
  (api: Api, { id: agentId }: Pick<Agent, 'id'>, external_id?: string) =>
  (page: PageQuery) => {
    const query = { ...page, ...defined({ external_id }) }
    return pageOf(api.GET('/v1/agents/{agentId}/deployments', { params: { path: { agentId }, query } }))
  }

const noVersion = ({ slug }: Agent, message: string) =>
  new Failure(EXIT.api, 'not_found', message, { next: `assay deployments ${slug}` })

/** The input schema that the current version declares; undefined if it declares none. */
export const inputSchema = async (api: Api, agent: Pick<Agent, 'id'>): Promise<unknown> =>
  (await findVersion(api, agent, version => version.is_current))?.declaration.input_schema
