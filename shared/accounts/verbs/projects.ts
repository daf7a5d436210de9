// Makes, changes and deletes projects. A deleted one is out of reach at once; the tick removes its contents.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import { type BudgetChanges, followZone, setBudgets } from '../../prices/verbs/budgets.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import * as store from '../queries/projects.ts'
import type { ProjectRow } from '../wire/account.ts'
import type { SettingChanges } from '../wire/project-settings.ts'

export interface ProjectChanges extends SettingChanges, BudgetChanges {
  name?: string | undefined
  credit_cents?: number | null | undefined
}

/** @throws ApiError `quota_exceeded` */
export async function createProject(
  ctx: Context,
  order: ProjectChanges & { account_id: string; name: string },
): Promise<ProjectRow> {
  const { account_id, name, credit_cents, day_budget_cents, month_budget_cents, ...settings } = order
  const id = ctx.newId()
  const given = Object.entries(settings).filter(([, value]) => value != null)
  const project = {
    id,
    account_id,
    name,
    settings: Object.fromEntries(given),
    credit_micro: credit_cents == null ? null : microOf(credit_cents),
  }
  await withinQuota(ctx, { account_id }, 'projects', ctx =>
    withinQuota(ctx, { account_id }, 'concurrency', ctx => store.insertProject(ctx.db, project)),
  )
  await setBudgets(ctx, { project_id: id, agent_id: null }, { day_budget_cents, month_budget_cents })
  return (await store.findProject(ctx.db, account_id, id))!
}

/** A setting that is null returns to the installation's default. @throws ApiError `quota_exceeded` */
export async function updateProject(ctx: Context, id: string, changes: ProjectChanges): Promise<void> {
  const { name, credit_cents, day_budget_cents, month_budget_cents, ...settings } = changes
  const credit_micro = credit_cents == null ? credit_cents : microOf(credit_cents)
  const update = (ctx: Context) => store.updateProject(ctx.db, id, { name, credit_micro, settings })
  if (settings.concurrency === undefined) await update(ctx)
  else await withinQuota(ctx, { project_id: id }, 'concurrency', update)
  await setBudgets(ctx, { project_id: id, agent_id: null }, { day_budget_cents, month_budget_cents })
  if (settings.timezone !== undefined) await followZone(ctx, id)
}

/** @throws ApiError `invalid_request` unless `confirm` is the project's name */
export async function deleteProject(ctx: Context, project: ProjectRow, confirm: string): Promise<void> {
  if (confirm !== project.name) {
    throw new ApiError(
      'invalid_request',
      'Query parameter "confirm" is not the name of the project.',
      'Everything in the project is deleted for good: repeat its name to confirm.',
    )
  }
  await store.detachProject(ctx.db, project.id)
  ctx.notify()
}
