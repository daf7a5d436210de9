// Table of a project's own prices of models, each of them from a moment on.

import { boolean, doublePrecision, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { at, createdAt, id } from '../../kernel/column-types.ts'

export const prices = pgTable(
  'prices',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    model: text('model').notNull(),
    effective_from: at('effective_from').notNull(),
    /** US dollars per million tokens. */
    input_per_mtok: doublePrecision('input_per_mtok').notNull(),
    output_per_mtok: doublePrecision('output_per_mtok').notNull(),
    cached_input_per_mtok: doublePrecision('cached_input_per_mtok'),
    /** Set by an owner who was signed in: it wins over those of keys and other members. */
    by_owner: boolean('by_owner').notNull().default(false),
    created_at: createdAt(),
  },
  t => [unique('prices_of').on(t.project_id, t.model, t.effective_from), ofProject(t)],
)
