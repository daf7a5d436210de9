// The shapes of saved views.

import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { savedViews } from '../tables/saved-views.ts'
import { VIEW_LISTS } from '../vocabulary.ts'

export type SavedViewRow = typeof savedViews.$inferSelect

const list = z.enum(VIEW_LISTS).describe('The list that it shows.')

export const NewSavedView = z
  .strictObject({
    list,
    name: label(LIMITS.view_name_characters, 'For people. Saved again under the same name, it is changed.'),
    query: z
      .string()
      .max(LIMITS.view_query_characters)
      .regex(/^[\x21-\x7e]*$/, 'must be a query as an address has it: no spaces, no line ends')
      .refine(text => !new URLSearchParams(text).has('cursor'), 'must lead to the first page: no cursor')
      .describe("How the list is filtered: the query of the page's address, without `?`."),
    shared: z.boolean().optional().describe('Everybody in the project sees it; false by default.'),
  })
  .openapi('NewSavedView', {
    example: { list: 'runs', name: 'nights that failed', query: 'outcome=failed&tag=nightly' },
  })

export const SavedView = z
  .object({
    id: id('The id to delete it by.'),
    list,
    name: z.string(),
    query: z.string(),
    shared: z.boolean().describe('Everybody in the project sees it; else you alone.'),
    created_at: timestamp,
  })
  .openapi('SavedView', { description: 'A list with its filters, by a name.' })

export const savedViewOf = (row: SavedViewRow): z.input<typeof SavedView> => ({
  id: row.id,
  list: row.list,
  name: row.name,
  query: row.query,
  shared: row.member_id === null,
  created_at: row.created_at.toISOString(),
})
