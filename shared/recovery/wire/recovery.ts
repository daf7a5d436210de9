// The shapes of requests to replay items, to resume them and to call them wrong, and of lineages.

import { ITEM_STATUSES, OUTCOMES } from '../../items/vocabulary.ts'
import { count, id } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { budgetCents, label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { WRONG_OF } from '../../triage/vocabulary.ts'
import { DEPLOYMENT_CHOICES, RECOVERY_WARNINGS, REUSE_CHOICES, type ReuseChoice } from '../vocabulary.ts'

/** Fields that say which recorded steps are reused, the same in every request to replay something. */
export const reuseFields = {
  reuse: z
    .enum(REUSE_CHOICES)
    .describe(
      'Which recorded steps are taken over. auto: where an answer was at fault (off schema, refused, empty, cut off, degraded or raised by the agent) the last model call is asked again, or the last step where there was none; steps before it are taken over, later ones only for calls with the same input. Where the attempt was at fault (time, provider, a lost process), what succeeded is. all: what succeeded, also where an answer was at fault. none: nothing. auto by default.',
    )
    .optional(),
  from_step: label(
    LIMITS.step_key_characters,
    'Key of a step: it and what follows run again, those before it are taken over. Instead of reuse.',
  ).optional(),
}

/** `from_step` and `reuse` both say which steps are reused, so an order has only one of them, or `auto`. */
export const oneOfReuse = (order: { reuse?: ReuseChoice | undefined; from_step?: string | undefined }) =>
  order.from_step === undefined || order.reuse === undefined || order.reuse === 'auto'
export const ONE_OF_REUSE = {
  path: ['reuse'],
  message: 'does not go with "from_step": either says which steps are taken over',
}

export const ReplayOrder = z
  .strictObject({
    ...reuseFields,
    input: z
      .unknown()
      .describe(
        'Another input instead of the original one. No steps are taken over then, unless from_step says that those before it still hold, or reuse that all do.',
      )
      .optional(),
    deployment: z
      .enum(DEPLOYMENT_CHOICES)
      .optional()
      .describe('The deployment that runs: the current one by default.'),
    budget_cents: budgetCents.optional(),
  })
  .refine(oneOfReuse, ONE_OF_REUSE)
  .openapi('ReplayOrder', { description: 'How an item is replayed.' })

export const ResumeOrder = z
  .strictObject({
    budget_cents: budgetCents
      .describe(
        "Money granted on top, in cents; at the item's budget, its declared budget once more by default.",
      )
      .optional(),
  })
  .openapi('ResumeOrder', { description: 'How an item goes on.' })

export const WrongOrder = z
  .strictObject({
    of: z
      .enum(WRONG_OF)
      .describe(
        'What you looked at. verdict: what was recorded. question: it is not what triage asks. correction: an ok item that was called wrong did work after all. verdict by default.',
      )
      .optional(),
  })
  .openapi('WrongOrder', { description: 'What of an item is called wrong.' })

/** What to know of a replay or a recovery. */
export const recoveryWarnings = z
  .array(
    z.object({
      code: z
        .enum(RECOVERY_WARNINGS)
        .describe(
          'other_version: steps that are taken over were made by another version of the agent or of its code than the one that runs. none_worked: it has ended, and none of its items worked.',
        ),
      message: z.string().describe('The same in words, with the way out.'),
      steps: count('The steps, of other_version.'),
    }),
  )
  .describe('What to know of it before relying on it.')

export const Continued = z
  .object({
    run_id: id('The run the item goes on in: a new one when it is replayed.'),
    record_id: id('Record id of the item that runs now.'),
    reused_steps: count('Steps taken over whatever happens: the work it skips.'),
    warnings: recoveryWarnings.optional().describe('What to know of the steps that it takes over.'),
  })
  .openapi('ContinuedItem', { description: 'An item that goes on, and the work it skips.' })

const Relative = z
  .object({
    record_id: id('Record id of the item.'),
    run_id: id('Its run.'),
    generation: z
      .int()
      .describe('0 is the item asked for; below it what it descends from, above it what replays it.'),
    replayed_from: id('Record id of the item it replays.').nullable(),
    status: z.enum(ITEM_STATUSES),
    outcome_status: z.enum(OUTCOMES).nullable(),
  })
  .openapi('Relative')

export const Lineage = z
  .array(Relative)
  .describe('The item with everything it descends from and all replays of those, oldest first.')
