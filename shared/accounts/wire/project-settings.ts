// The settings of a project, one shape for making and for changing it. Guarantee: everything stored in a project's
// settings has passed this shape.

import * as z from '../../kernel/documented-zod.ts'
import { concurrency } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { timezoneProblem } from '../../schedules/rules/timezone.ts'

const days = (what: string) =>
  z.int().min(1).max(LIMITS.retention_days).describe(`Days after its submission that a run keeps ${what}.`)

/** Each setting; null in a change returns it to the installation's default. */
export const settings = {
  concurrency: concurrency.describe('Items of the project at work at once at most.'),
  partition_concurrency: concurrency.describe('Items of one partition at work at once at most.'),
  open_runs: z.int().min(1).max(LIMITS.run_concurrency).describe('Runs that have not ended, at most.'),
  requests_per_second: z
    .int()
    .min(1)
    .max(LIMITS.run_concurrency)
    .describe('What each key of the project may ask.'),
  keys_may_mint: z.boolean().describe('Whether a key may make other keys.'),
  step_retention_days: days('its steps, up to the end of the week'),
  payload_retention_days: days('the inputs and outputs of its items'),
  record_retention_days: days('its items, and is kept itself').describe(
    'Days after its submission that a run keeps its items, and is kept itself; alerts and events of schedules, days after they were written.',
  ),
  timezone: z
    .string()
    .superRefine((name, ctx) => {
      const message = timezoneProblem(name)
      if (message !== undefined) ctx.addIssue({ code: 'custom', message })
    })
    .meta({ maxLength: LIMITS.timezone_characters, example: 'Europe/Berlin' })
    .describe('The zone whose days and months budgets follow; UTC unless set.'),
}

type Shape = typeof settings
type Optional = { [K in keyof Shape]: z.ZodOptional<Shape[K]> }
type Resettable = { [K in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[K]>> }

const each = (wrap: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, wrap(schema)]))

export const newSettings = each(schema => schema.optional()) as Optional
export const changedSettings = each(schema => schema.nullable().optional()) as Resettable

export type SettingChanges = { [K in keyof Shape]?: z.output<Shape[K]> | null | undefined }
