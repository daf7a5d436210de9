// Decides which rows a caller may touch. Guarantee: a row of another account answers like one that does not exist, and
// a project key is refused for every other project of its own account.

import { findMember } from '../accounts/queries/members.ts'
import { findProject } from '../accounts/queries/projects.ts'
import type { AgentRow, ProjectRow } from '../accounts/wire/account.ts'
import type { MemberRow } from '../accounts/wire/members.ts'
import { findAgent, findAgentBySlug } from '../agents/queries/agents.ts'
import type { Context } from '../context.ts'
import { findRun } from '../items/queries/runs.ts'
import type { RunRow } from '../items/wire/runs.ts'
import { ApiError } from '../kernel/errors.ts'
import { parseItemRecordId } from '../kernel/ids.ts'
import { findSchedule } from '../schedules/queries/schedules.ts'
import type { ScheduleRow } from '../schedules/wire/schedules.ts'
import { findTrigger } from '../triggers/queries/triggers.ts'
import type { TriggerRow } from '../triggers/wire/triggers.ts'
import type { Principal, SessionPrincipal } from './principal.ts'

/** What a path parameter names; an impossible id answers like an unknown one. */
export type Noun =
  | 'project'
  | 'price'
  | 'API key'
  | 'account'
  | 'agent'
  | 'trigger'
  | 'webhook'
  | 'deployment'
  | 'run'
  | 'item'
  | 'member'
  | 'session'
  | 'recovery'
  | 'cause'
  | 'schedule'
  | 'delivery'
  | 'upstream'
  | 'alert channel'
  | 'deadline'
  | 'saved view'

export const notFound = (noun: Noun) =>
  new ApiError(
    'not_found',
    `There is no such ${noun} in this ${noun === 'account' ? 'installation' : 'account'}.`,
  )

const otherProject = () =>
  new ApiError(
    'forbidden',
    'This key belongs to another project of the account.',
    'Use a key of that project, or sign in: a session acts on the whole account.',
  )

/** The row, looked up within the caller's account, if the caller may touch its project. */
export function within<T extends { project_id: string }>(
  principal: Principal,
  noun: Noun,
  row: T | undefined,
): T {
  if (row === undefined) throw notFound(noun)
  if (principal.kind === 'key' && row.project_id !== principal.project_id) throw otherProject()
  return row
}

/** What a list covers: the account's projects, or one of them. */
export interface Scope {
  account_id: string
  project_id: string | null
}

/** The project, if the caller may act on it. */
export async function projectIn(ctx: Context, principal: Principal, project_id: string): Promise<ProjectRow> {
  const project = await findProject(ctx.db, principal.account_id, project_id)
  within(principal, 'project', project && { project_id: project.id })
  return project!
}

const ownOf = (principal: Principal): string | null =>
  principal.kind === 'key' ? principal.project_id : null

/** The scope of a list: the project named, else a key's own, else the whole account. */
export async function scopeOf(ctx: Context, principal: Principal, project_id?: string): Promise<Scope> {
  if (project_id !== undefined) await projectIn(ctx, principal, project_id)
  return { account_id: principal.account_id, project_id: project_id ?? ownOf(principal) }
}

/** The agent, if the caller may act on its project. */
export async function agentIn(ctx: Context, principal: Principal, id: string): Promise<AgentRow> {
  return within(principal, 'agent', await findAgent(ctx.db, principal.account_id, id, ownOf(principal)))
}

/** The agent with this slug, in the project named or in the key's own. */
async function agentNamed(
  ctx: Context,
  principal: Principal,
  slug: string,
  project_id: string | undefined,
): Promise<AgentRow> {
  const scope = await scopeOf(ctx, principal, project_id)
  if (scope.project_id === null) {
    throw new ApiError(
      'invalid_request',
      'Field "project_id" is missing: slugs are unique within a project only.',
    )
  }
  return within(principal, 'agent', await findAgentBySlug(ctx.db, scope.account_id, scope.project_id, slug))
}

/** The trigger, if the caller may act on its project. */
export async function triggerIn(ctx: Context, principal: Principal, id: string): Promise<TriggerRow> {
  return within(principal, 'trigger', await findTrigger(ctx.db, principal.account_id, id, ownOf(principal)))
}

/** The agent an order names by its id or, in `project_id` or the key's own project, by its slug. */
export async function agentOrdered(
  ctx: Context,
  principal: Principal,
  order: { agent?: string | undefined; agent_id?: string | undefined; project_id?: string | undefined },
): Promise<AgentRow> {
  const { agent: slug, agent_id, project_id } = order
  if ((slug === undefined) === (agent_id === undefined))
    throw new ApiError('invalid_request', 'One of the fields "agent" and "agent_id" must name the agent.')
  if (project_id !== undefined) await projectIn(ctx, principal, project_id)
  const agent =
    agent_id === undefined
      ? await agentNamed(ctx, principal, slug!, project_id)
      : await agentIn(ctx, principal, agent_id)
  if (project_id !== undefined && project_id !== agent.project_id)
    throw new ApiError('invalid_request', 'Field "project_id" names another project than the agent\'s.')
  return agent
}

/** The agent that a run is to be started for, with a check that it exists and that the caller may start it. */
export interface Starting {
  id: string
  project_id: string
  /** @throws ApiError like `agentOrdered` */
  confirm(): Promise<unknown>
}

/**
 * The agent an order names. If a key names it by id it is not looked up: the statement that starts the run checks that
 * the agent exists in the key's project. If that statement starts no run, `confirm` throws the reason.
 */
export async function agentToStart(
  ctx: Context,
  principal: Principal,
  order: Parameters<typeof agentOrdered>[2],
): Promise<Starting> {
  const { agent, agent_id, project_id } = order
  if (agent_id !== undefined && agent === undefined && project_id === undefined && principal.kind === 'key')
    return {
      id: agent_id,
      project_id: principal.project_id,
      confirm: () => agentIn(ctx, principal, agent_id),
    }
  const found = await agentOrdered(ctx, principal, order)
  return { id: found.id, project_id: found.project_id, confirm: async () => {} }
}

/** The member, if it is of the caller's account. */
export async function memberIn(ctx: Context, principal: SessionPrincipal, id: string): Promise<MemberRow> {
  const member = await findMember(ctx.db, principal.account_id, id)
  if (member === undefined) throw notFound('member')
  return member
}

/** Where an item is, if the caller may act on its project. */
export async function itemIn(ctx: Context, principal: Principal, id: string) {
  const key = parseItemRecordId(id)
  const run = key && (await findRun(ctx.db, principal.account_id, key.run_id, ownOf(principal)))
  const holds = run !== undefined && (run.materializing || key!.seq <= run.total_items)
  const { project_id } = within(principal, 'item', holds ? run : undefined)
  return { project_id, ...key! }
}

/** The run, if the caller may act on its project. */
export async function runIn(ctx: Context, principal: Principal, id: string): Promise<RunRow> {
  return within(principal, 'run', await findRun(ctx.db, principal.account_id, id, ownOf(principal)))
}

/** The schedule, if the caller may act on its project. */
export async function scheduleIn(ctx: Context, principal: Principal, id: string): Promise<ScheduleRow> {
  return within(principal, 'schedule', await findSchedule(ctx.db, principal.account_id, id, ownOf(principal)))
}
