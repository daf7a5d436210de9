// Limits of upstreams that people set. Guarantee: there is one row for a host and a variable of the environment, and it counts
// for every upstream of that name, also for one that is called for the first time later.

import { jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { at } from '../../kernel/column-types.ts'
import type { DeclaredLimits } from '../../pacing/rules/declared-limits.ts'

export const upstreamLimits = pgTable(
  'upstream_limits',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    host: text('host').notNull(),
    /** The variable of the environment that has the credential; empty for all credentials of the host. */
    label: text('label').notNull(),
    limits: jsonb('limits').$type<DeclaredLimits>().notNull(),
    set_at: at('set_at').notNull(),
  },
  t => [primaryKey({ columns: [t.project_id, t.host, t.label] }), ofProject(t)],
)
