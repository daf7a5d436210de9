// The shapes of deployments and of what a deploy does, and how rows are converted to them. Guarantee: none returns an
// environment or code; a trigger's secret is returned only when it was just created, and an agent's key only to the
// caller that deploys.

import { CHECKS, RUN_CHECKS } from '../../grading/vocabulary.ts'
import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { shownUrlOrNull } from '../../kernel/shown-url.ts'
import {
  checksOf,
  type PlannedLimit,
  type PlannedSchedule,
  type PlannedTrigger,
} from '../rules/deploy-plan.ts'
import type { deployments } from '../tables/agents.ts'
import { AGENT_PROTOCOLS, DEPLOY_WARNINGS, DEPLOYMENT_KINDS, PLAN_ACTIONS } from '../vocabulary.ts'
import { Declaration } from './declaration.ts'

export type DeploymentRow = Omit<typeof deployments.$inferSelect, 'agent_host'> & { is_current: boolean }

export const Deployment = z
  .object({
    id: id('The deployment.'),
    project_id: id('The project of its agent.'),
    agent_id: id('The agent it is a version of.'),
    version: z.int().describe('Counts from 1 within the agent.'),
    is_current: z.boolean().describe('The next run executes it.'),
    kind: z.enum(DEPLOYMENT_KINDS),
    protocol: z
      .enum(AGENT_PROTOCOLS)
      .describe('What it speaks: lines of JSON, or one JSON value per request.'),
    url: z.string().nullable(),
    bundle_hash: z.string().nullable().describe('SHA-256 of the code.'),
    declaration: Declaration,
    checks: z
      .array(z.enum([...CHECKS, ...RUN_CHECKS]))
      .describe(
        'What its answers are looked at for: as it declares, or the defaults of when it was deployed; an update adds none.',
      ),
    external_id: z.string().nullable(),
    created_at: timestamp,
  })
  .openapi('Deployment', { description: 'A version of an agent. It never changes.' })

const plannedId = id('Null until it is created.').nullable()
const changes = z
  .array(z.object({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() }))
  .describe('The fields that are set; long values are cut.')

const Plan = z
  .object({
    schedules: z.array(
      z.object({
        action: z.enum(PLAN_ACTIONS).exclude(['rotated', 'kept']),
        id: plannedId,
        cron: z.string(),
        timezone: z.string(),
        changes,
      }),
    ),
    triggers: z.array(
      z.object({
        action: z.enum(PLAN_ACTIONS),
        id: plannedId,
        name: z.string(),
        secret_env: z.string().nullable(),
        replaces: z.string().nullable().describe('The name of the trigger that goes, where one is renamed.'),
        url: z.string().nullable().describe('Where it is fired; null until it is created.'),
        secret: z.string().nullable().describe('Of one that was just created; it is shown this once.'),
        changes,
      }),
    ),
    limits: z
      .array(
        z.object({
          action: z.enum(PLAN_ACTIONS).exclude(['rotated', 'kept']),
          host: z.string(),
          credential: z.string().nullable(),
          from: z.string().nullable().describe('In words; null for no limit.'),
          to: z.string().nullable(),
        }),
      )
      .describe('Limits that the declaration carries, for the items of this deployment alone.'),
  })
  .openapi('DeployPlan', {
    description:
      'What a deploy does to the schedules and triggers of an agent. Those that no code ever declared are left alone and not listed.',
  })

const unpriced = z
  .array(z.string())
  .describe(
    "Models without a price that the agent's latest runs called or that it declares: budgets do not count them.",
  )

const warnings = z
  .array(
    z.object({
      code: z.enum(DEPLOY_WARNINGS),
      message: z.string().describe('What may happen.'),
      hint: z.string().describe('What to set.'),
    }),
  )
  .describe('What the agent may need and this installation does not give it.')

export const Deployed = Deployment.extend({
  created: z
    .boolean()
    .describe('False when the same content had been deployed before: this is that version.'),
  agent_key: z
    .string()
    .nullable()
    .describe(
      'What requests to the URL are signed with, for ASSAY_AGENT_KEY of the function there; the same for all versions at this URL. Null for a bundle.',
    ),
  plan: Plan,
  unpriced,
  warnings,
}).openapi('Deployed', {
  description: 'The deployment that is current now, and what became of its schedules and triggers.',
})

export const Promoted = Deployed.omit({ created: true, unpriced: true, warnings: true }).openapi('Promoted', {
  description: 'The deployment that is current now, and what became of its schedules and triggers.',
})

export const DryRun = z
  .object({
    dry_run: z.literal(true),
    version: z.int().describe('The version that would be current.'),
    created: z.boolean().describe('Whether it would be a new one.'),
    current_version: z.int().nullable().describe('The version that is current now.'),
    changes: z
      .array(z.string())
      .describe(
        'What differs from it: code, url, env, fields of the declaration; everything for a first one.',
      ),
    plan: Plan,
    unpriced: unpriced.optional(),
    warnings: warnings.optional(),
  })
  .openapi('DryRun', { description: 'What a deploy would do. Nothing was changed.' })

export function deploymentOf(row: DeploymentRow): z.input<typeof Deployment> {
  const { env_sealed: _, default_checks: __, created_at, ...fields } = row
  return {
    ...fields,
    url: shownUrlOrNull(row.url),
    checks: checksOf(row),
    created_at: created_at.toISOString(),
  } as z.input<typeof Deployment>
}

/** What a deploy does to schedules, triggers and limits. A trigger has a `url` once it exists, a `secret` if just created. */
export interface Automation {
  schedules: PlannedSchedule[]
  triggers: (PlannedTrigger & { url: string | null; secret: string | null })[]
  limits: PlannedLimit[]
}

export function deployedOf(deployed: {
  deployment: DeploymentRow
  automation: Automation
  agent_key: string | null
}): z.input<typeof Promoted> {
  const { deployment, automation, agent_key } = deployed
  return { ...deploymentOf(deployment), agent_key, plan: planOf(automation) }
}

export function dryRunOf<P extends { automation: Automation }>({ automation, ...plan }: P) {
  return { dry_run: true as const, ...plan, plan: planOf(automation) }
}

function planOf({ schedules, triggers, limits }: Automation): z.input<typeof Plan> {
  return {
    limits,
    schedules: schedules.map(({ input: _, source: __, results: ___, ...schedule }) => schedule),
    triggers: triggers.map(({ items: _, start_of: __, ...trigger }) => ({
      ...trigger,
      replaces: trigger.replaces?.name ?? null,
    })),
  }
}
