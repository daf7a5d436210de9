// The definition of every table says what endpoints may read of it.

import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { BEHIND_VIEWS } from '../../shared/accounts/tables/tenant.ts'
import * as schema from '../../shared/tables.ts'

/** No endpoint reads these; PostgreSQL would refuse it. */
const ENGINE_ALONE: Record<string, string> = {
  alert_marks: 'only says when the rules alert again',
  bundles: 'is found by the hash of its content and belongs to nobody',
  ended_runs: 'only says which runs the alert rules look at',
  idempotency_keys: 'is read by submissions, which write',
  installation: 'is the operator’s, who is no account',
  purges: 'only says how far retention is',
  source_reads: 'occurrences that are still read: the tick’s, until their outcome is written',
  suspected_items: 'only says which items to ask about once they have ended',
  unindexed_steps: 'only says what the index of steps has left to do',
}

const tables = Object.values(schema)
  .filter(table => is(table, PgTable))
  .map(table => getTableConfig(table))

it('every table says what an endpoint sees of it (shared/accounts/tables/tenant.ts), or is listed here as the engine’s only', () => {
  const silent = tables.filter(table => table.policies.length === 0).map(({ name }) => name)
  const unseen = silent.filter(name => !(name in BEHIND_VIEWS))
  expect(unseen.sort()).toEqual(Object.keys(ENGINE_ALONE).sort())
})
