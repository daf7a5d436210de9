// Changes an agent's schedules and triggers to what its code declares. Guarantee: all or nothing, in the transaction of
// the deploy; whatever no code ever declared stays as it is.

import { wholeUrl } from '../../accounts/verbs/kept-url.ts'
import type { Context } from '../../context.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'
import { lockSchedulesOfAgent } from '../../schedules/queries/schedules.ts'
import {
  createSchedule,
  deleteSchedule,
  enableSchedule,
  updateSchedule,
} from '../../schedules/verbs/schedules.ts'
import { asDeclared, itemsAsDeclared, keptTriggerSource } from '../../sources/verbs/kept-source.ts'
import { NO_SETTINGS } from '../../submission/wire/start-settings.ts'
import { findTriggerStart, lockTriggersOfAgent, updateTrigger } from '../../triggers/queries/triggers.ts'
import { createTrigger, deleteTrigger } from '../../triggers/verbs/triggers.ts'
import { triggerUrl } from '../../triggers/wire/triggers.ts'
import {
  type PlannedSchedule,
  type PlannedTrigger,
  planLimits,
  planSchedules,
  planTriggers,
} from '../rules/deploy-plan.ts'
import type { Automation } from '../wire/deploy.ts'

export type { Automation }

/** A deployment of the agent, with what it declares. */
export interface Declaring {
  project_id: string
  agent_id: string
  declaration: AgentDeclaration
  /** The declaration of the version before; undefined for the first one. */
  before: AgentDeclaration | undefined
}

/** What happens to triggers that code declared before and this version does not. */
export type Undeclared = 'deleted' | 'kept'

/** Plans what the declaration changes. The rows that the plan is made from are locked until the transaction ends. */
export async function planAutomation(
  ctx: Context,
  { project_id, agent_id, declaration, before }: Declaring,
  undeclared: Undeclared,
): Promise<Automation> {
  const crons = declaration.schedules?.map(({ cron }) => cron) ?? []
  const schedules = await Promise.all(
    (await lockSchedulesOfAgent(ctx.db, { project_id, agent_id }, crons)).map(async row => ({
      ...row,
      source: await asDeclared(ctx, { project_id, start_id: row.id }, row),
      results: row.results && { ...row.results, url: await wholeUrl(ctx, project_id, row.results.url) },
    })),
  )
  const triggers = await Promise.all(
    (await lockTriggersOfAgent(ctx.db, { project_id, agent_id })).map(async row => ({
      ...row,
      items: await itemsAsDeclared(ctx, { project_id, start_id: row.id }, row),
    })),
  )
  const urls = new Map(
    triggers.map(({ id, webhook_id }) => [id, triggerUrl(ctx.config.base_url, webhook_id)]),
  )
  return {
    limits: planLimits(declaration, before),
    schedules: planSchedules(declaration, schedules, before),
    triggers: planTriggers(declaration, triggers, undeclared).map(one => ({
      ...one,
      url: one.id === null ? null : urls.get(one.id)!,
      secret: null,
    })),
  }
}

/** Makes the plan and carries it out; the returned plan contains the secrets of the triggers it created. */
export async function reconcile(
  ctx: Context,
  declaring: Declaring,
  undeclared: Undeclared,
): Promise<Automation> {
  const plan = await planAutomation(ctx, declaring, undeclared)
  // Deletions come first, to make room for new schedules if the account is at its quota.
  const isDeleted = ({ action }: PlannedSchedule) => action === 'deleted'
  for (const schedule of [
    ...plan.schedules.filter(isDeleted),
    ...plan.schedules.filter(schedule => !isDeleted(schedule)),
  ])
    schedule.id = await applySchedule(ctx, declaring, schedule)
  for (const trigger of plan.triggers) Object.assign(trigger, await applyTrigger(ctx, declaring, trigger))
  return plan
}

async function applySchedule(
  ctx: Context,
  { project_id, agent_id }: Declaring,
  { action, id, cron, timezone, input, source, results, changes }: PlannedSchedule,
): Promise<string> {
  if (id === null) {
    const owner = { project_id, agent_id, declared: true }
    return createSchedule(ctx, { ...owner, cron, timezone, input, source, results, enabled: true })
  }
  const key = { project_id, id }
  if (action === 'deleted') await deleteSchedule(ctx, key)
  if (action === 'changed') {
    const fields = new Set(changes.map(({ field }) => field))
    // The next fire time may move only with the zone: a fire time that is due and has no row yet must get its row.
    await updateSchedule(ctx, key, {
      input,
      declared: true,
      ...(fields.has('timezone') && { timezone }),
      ...(fields.has('source') && { source }),
      ...(results && { results }),
    })
    if (fields.has('enabled')) await enableSchedule(ctx, key)
  }
  return id
}

/** Applies the plan of a trigger; returns its id and URL, and its secret if it was just created. */
async function applyTrigger(
  ctx: Context,
  { project_id, agent_id }: Declaring,
  { action, id, name, secret_env, items: order, replaces, start_of }: PlannedTrigger,
): Promise<{ id: string; url?: string; secret: string | null }> {
  // Code does not declare how runs are started, so a trigger with a new name keeps the settings of the old one.
  const kept = start_of === null ? undefined : await findTriggerStart(ctx.db, { project_id, id: start_of })
  if (replaces !== null) await deleteTrigger(ctx, { project_id, id: replaces.id })
  const start_id = id ?? ctx.newId()
  const items = await keptTriggerSource(ctx, { project_id, start_id }, order, undefined, 'code')
  if (id === null) {
    const trigger = {
      project_id,
      agent_id,
      name,
      secret_env,
      scheme: 'bearer',
      signing_secret: null,
    } as const
    const settings = { declared: true, start: kept ?? NO_SETTINGS, items }
    const made = await createTrigger(ctx, { ...trigger, ...settings }, start_id)
    const url = triggerUrl(ctx.config.base_url, made.webhook_id)
    return { id: made.id, url, secret: made.secret }
  }
  if (action === 'deleted') await deleteTrigger(ctx, { project_id, id })
  if (action === 'changed')
    await updateTrigger(ctx.db, { project_id, id }, { secret_env, declared: true, ...items })
  return { id, secret: null }
}
