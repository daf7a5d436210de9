// The request shape of what an agent declares about itself when it is deployed.

import { DECLARED_CHECKS, LANGUAGES, REFUSAL_CHOICES } from '../../grading/vocabulary.ts'
import { Json } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { isStorable, label, prose } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { ResultsReceiverOrder } from '../../results/wire/results.ts'
import { checkCron, normalCron, scheduleProblem } from '../../schedules/rules/cron.ts'
import { checkTimezone } from '../../schedules/rules/timezone.ts'
import { declaredSourceProblem } from '../../sources/rules/declared-source.ts'
import { generatorName, SourceOrder, triggerItems, triggerSourceOrder } from '../../sources/wire/sources.ts'
import { secretEnv, triggerName } from '../../triggers/wire/triggers.ts'
import { NamedLimitList } from '../../upstreams/wire/upstream-limits.ts'

/** A list in which no two entries have the same key. */
function keyed<K extends string, T extends z.ZodType<Record<K, string>>>(entry: T, key: K, max: number) {
  return z
    .array(entry)
    .max(max)
    .superRefine((list, ctx) => {
      for (const [at, one] of list.entries()) {
        if (list.findIndex(other => other[key] === one[key]) === at) continue
        ctx.addIssue({ code: 'custom', path: [at, key], message: `"${one[key]}" is declared twice` })
      }
    })
}

const passes = (check: (text: string) => void) => (text: string, ctx: z.RefinementCtx) => {
  const message = scheduleProblem(check, text)
  if (message !== undefined) ctx.addIssue({ code: 'custom', message })
}

const DeclaredSchedule = z
  .strictObject({
    cron: z.string().superRefine(passes(checkCron)).transform(normalCron).describe('Five fields.'),
    timezone: z
      .string()
      .superRefine(passes(checkTimezone))
      .optional()
      .describe('An IANA zone; UTC by default.'),
    source: SourceOrder.nullable().optional(),
    results: ResultsReceiverOrder.optional(),
  })
  .openapi('DeclaredSchedule', {
    description:
      "A recurring start; its key is the cron. A header of its source names variables of the deployment's environment: Bearer $EXPORT_TOKEN.",
    example: { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
  })

const DeclaredTrigger = z
  .strictObject({
    name: triggerName,
    secret_env: secretEnv.optional(),
    ...triggerItems,
  })
  .superRefine((trigger, ctx) => {
    try {
      triggerSourceOrder(trigger)
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })
  .openapi('DeclaredTrigger', {
    description: 'An inbound HTTP start; its key is the name.',
    example: { name: 'new-ticket', secret_env: 'ASSAY_TRIGGER_SECRET' },
  })

// May be a fraction, because the price of one item may be a fraction of a cent.
const cents = z.number().min(0).max(LIMITS.budget_cents)

/** What an agent says about itself when it is deployed. */
export const Declaration = z
  .strictObject({
    name: label(LIMITS.name_characters, "The agent's name."),
    description: prose(LIMITS.description_characters, 'What it does.').optional(),
    item_budget_cents: cents.optional().describe('Money one item may spend.'),
    on_budget: z
      .enum(['fail', 'pause'])
      .optional()
      .describe('What becomes of an item that reaches its budget.'),
    refusals: z
      .enum(REFUSAL_CHOICES)
      .optional()
      .describe(
        "Which refusals by wording degrade an item: 'sure' (as without it), 'balanced' (suspected ones too) or 'off'.",
      ),
    checks: z
      .array(z.enum(DECLARED_CHECKS))
      .max(DECLARED_CHECKS.length)
      .optional()
      .describe(
        'Ways not to have worked that answers of models are looked at for, and no others; without it the defaults of when it is deployed, [] for none.',
      ),
    language: z
      .enum(LANGUAGES)
      .optional()
      .describe('The language of its answers; one that is surely in another is degraded, wrong_language.'),
    max_steps: z.int().min(1).max(LIMITS.agent_steps.max).optional(),
    concurrency: z.int().min(1).max(LIMITS.run_concurrency).optional(),
    timeout_seconds: z.int().min(1).max(LIMITS.agent_timeout_seconds.max).optional(),
    step_seconds: z
      .int()
      .min(1)
      .max(LIMITS.agent_timeout_seconds.max)
      .optional()
      .describe(
        'The longest that one step of it takes, where that is known: no consumer with less time begins it.',
      ),
    answers_later: z
      .boolean()
      .optional()
      .describe('Of an agent behind a URL: it answers later what takes longer than a consumer has left.'),
    retries: z
      .int()
      .min(0)
      .max(LIMITS.agent_retries)
      .optional()
      .describe("Further attempts after the agent's errors."),
    max_consecutive_failures: z
      .int()
      .min(1)
      .max(LIMITS.items_per_run)
      .optional()
      .describe('A run stops when so many items in a row failed.'),
    patience_seconds: z
      .int()
      .min(LIMITS.patience_seconds.min)
      .max(LIMITS.patience_seconds.max)
      .optional()
      .describe('How long its items wait for an upstream that serves nobody.'),
    first_byte_seconds: z
      .int()
      .min(1)
      .max(LIMITS.agent_timeout_seconds.max)
      .optional()
      .describe('How long the answer of a model call may take to begin; then the call is given up.'),
    limits: NamedLimitList.optional().describe(
      "Limits of what its items need outside, for them alone: of these and the project's, the lower counts.",
    ),
    wait: z
      .boolean()
      .optional()
      .describe('False if it gets the refusals of its providers itself, because it has a fallback.'),
    network: z
      .array(label(LIMITS.callback_url_characters, 'A host, host:port, or * for the public internet.'))
      .max(LIMITS.agent_network_hosts)
      .optional(),
    models: z
      .array(label(LIMITS.name_characters, 'As its provider names it.'))
      .max(LIMITS.agent_models)
      .optional()
      .describe(
        'Models it calls: those without a price are reported at the deploy, and refused under a budget.',
      ),
    input_schema: Json.optional().describe(
      'A JSON Schema (draft 7, 2019-09 or 2020-12) of its inputs; an item whose input does not match ends before any call.',
    ),
    output_schema: Json.optional().describe(
      'A JSON Schema of its outputs; an item whose output does not match is degraded, schema_mismatch.',
    ),
    model_calls: z
      .literal('none')
      .optional()
      .describe("'none' if it calls no model: then its budgets hold although no call is recorded."),
    generators: z
      .array(generatorName)
      .max(LIMITS.agent_generators)
      .optional()
      .describe('What it can make items with: methods under @items.'),
    schedule_input: Json.optional().describe('Input of the runs its schedules start; null by default.'),
    schedules: keyed(DeclaredSchedule, 'cron', LIMITS.agent_schedules).optional(),
    triggers: keyed(DeclaredTrigger, 'name', LIMITS.agent_triggers).optional(),
  })
  .superRefine(({ schedules = [], triggers = [], generators = [] }, ctx) => {
    for (const [list, starts] of Object.entries({ schedules, triggers }))
      for (const [at, { source }] of starts.entries()) {
        const problem = source && declaredSourceProblem(source, generators)
        if (problem) ctx.addIssue({ code: 'custom', path: [list, at, 'source'], message: problem })
      }
  })
  .refine(isStorable, 'must hold no \\u0000 and no lone surrogates in its texts')
  .openapi('AgentDeclaration', { description: 'What an agent says about itself when it is deployed.' })
