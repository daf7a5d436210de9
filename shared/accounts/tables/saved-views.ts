// Views of lists that members saved: which list, and how it was filtered.

import { index, pgEnum, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from '../../kernel/column-types.ts'
import { VIEW_LISTS } from '../vocabulary.ts'
import { members } from './accounts.ts'
import { projects } from './projects.ts'
import { ofProject } from './tenant.ts'

export const viewList = pgEnum('view_list', VIEW_LISTS)

export const savedViews = pgTable(
  'saved_views',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** The owner; null for a shared view. */
    member_id: uuid('member_id').references(() => members.id, { onDelete: 'cascade' }),
    list: viewList('list').notNull(),
    name: text('name').notNull(),
    /** The query of the page's address. */
    query: text('query').notNull(),
    created_at: createdAt(),
  },
  t => [
    unique('saved_views_name').on(t.project_id, t.member_id, t.list, t.name).nullsNotDistinct(),
    index('saved_views_member').on(t.member_id), // without it, removing a member reads all views
    ofProject(t),
  ],
)
