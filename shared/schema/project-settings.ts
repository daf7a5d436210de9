// What may be set on a project, one shape for making and for changing it. Guarantee: what is stored in a project's
// settings has passed this shape.

import { z } from '@hono/zod-openapi'
import { LIMITS } from '../domain/limits.ts'
import { concurrency, isStorable } from './input.ts'

const dollars = z.number().min(0).max(1_000_000)
const price = z
  .strictObject({
    input_per_mtok: dollars.describe('Dollars per million input tokens.'),
    output_per_mtok: dollars.describe('Dollars per million output tokens.'),
    cached_input_per_mtok: dollars.optional().describe('For input read from the cache of the provider.'),
  })
  .describe('What a model costs.')

const days = (what: string) =>
  z.int().min(1).max(LIMITS.retention_days).describe(`Days after its submission that a run keeps ${what}.`)

/** Each setting; null in a change takes it back to what the installation sets. */
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
  prices: z
    .record(z.string().min(1).max(LIMITS.name_characters), price)
    .refine(isStorable, 'must hold no \\u0000 and no lone surrogates in its names')
    .refine(prices => Object.keys(prices).length <= LIMITS.prices_per_project, 'holds too many models')
    .describe('By model; they go before the list that Assay brings.'),
}

type Shape = typeof settings
type Optional = { [K in keyof Shape]: z.ZodOptional<Shape[K]> }
type Resettable = { [K in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[K]>> }

const each = (wrap: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, wrap(schema)]))

export const newSettings = each(schema => schema.optional()) as Optional
export const changedSettings = each(schema => schema.nullable().optional()) as Resettable

export type SettingChanges = { [K in keyof Shape]?: z.output<Shape[K]> | null | undefined }
