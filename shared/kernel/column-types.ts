// Column types and columns that tables share.

import { bigint, customType, timestamp, uuid } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })
export const textCollateC = customType<{ data: string }>({ dataType: () => 'text collate "C"' })
export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
export const micro = (name: string) => bigint(name, { mode: 'number' })
export const id = () => uuid('id').primaryKey()
export const createdAt = () => at('created_at').notNull().defaultNow()
/** The project of the run that a row belongs to. Statements set it; for older versions that do not, a trigger does. */
export const projectOfRun = () => uuid('project_id').notNull()
