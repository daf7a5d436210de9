// The request and response shapes of a project's own prices.

import { timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { instant, label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { prices } from '../tables/prices.ts'

const dollars = z.number().min(0).max(1_000_000)
const model = label(
  LIMITS.name_characters,
  'As the provider names it; its dated snapshots have the same price.',
)
const fields = {
  input_per_mtok: dollars.describe('Dollars per million input tokens.'),
  output_per_mtok: dollars.describe('Dollars per million output tokens.'),
}
const CACHED = 'For input read from the cache of the provider; the input price where it is not said.'

export const NewPrice = z
  .strictObject({
    model,
    ...fields,
    cached_input_per_mtok: dollars.optional().describe(CACHED),
    effective_from: instant('From when on; from now where it is absent.').optional(),
  })
  .openapi('NewPrice', { description: 'What a model costs from a moment on.' })

export const OwnPrice = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The id to remove it by.' }),
    model: z.string(),
    ...fields,
    cached_input_per_mtok: z.number().nullable().describe(CACHED),
    effective_from: timestamp.describe('It holds from then until the next one of its model.'),
    by_owner: z.boolean().describe('An owner set it: it wins over those of keys and other members.'),
    created_at: timestamp,
  })
  .openapi('OwnPrice', {
    description: 'A price of the project’s own; it goes before the list that Assay brings.',
  })

export function ownPriceOf(row: typeof prices.$inferSelect): z.input<typeof OwnPrice> {
  const { id, model, input_per_mtok, output_per_mtok, cached_input_per_mtok } = row
  return {
    id,
    model,
    input_per_mtok,
    output_per_mtok,
    cached_input_per_mtok,
    effective_from: row.effective_from.toISOString(),
    by_owner: row.by_owner,
    created_at: row.created_at.toISOString(),
  }
}
