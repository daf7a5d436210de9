// Facts about the installation as a whole, in one row that the migration makes and nobody removes.

import { sql } from 'drizzle-orm'
import { boolean, check, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at } from '../../kernel/column-types.ts'

/** Only the engine reads it, except `held_since` (PUBLIC_COLUMNS). */
export const installation = pgTable(
  'installation',
  {
    only: boolean('only').primaryKey().default(true),
    /** By which two installations that share a Redis notice each other; a restore keeps that of the place restored to. */
    id: uuid('id').notNull().default(sql`gen_random_uuid()`),
    /** Of the master key that secrets are sealed under; null until the first start. */
    key_fingerprint: text('key_fingerprint'),
    /** Set by a restore, cleared by `assay admin go-on`: nothing is dispatched, fired or sent meanwhile. */
    held_since: at('held_since'),
    /** When the backup was taken that this installation was restored from. */
    restored_from: at('restored_from'),
  },
  t => [check('installation_only', sql`${t.only}`)],
)
