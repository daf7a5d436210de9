// The views through which callers' reads see tables on a cluster. Guarantee: for such a read, a name without a schema
// shows the rows that the table's policy shows on a single machine, and nothing of another account.
//
// Citus supports no policy that queries another table. So each such policy becomes a view with the policy's condition,
// in the schema that these reads search first; the tables in the condition are views as well.

import { TENANT_ROLE } from '../../shared/accounts/tables/tenant.ts'

export interface Policy {
  table: string
  /** The condition as PostgreSQL prints it. */
  condition: string
}

/** Tables that other conditions query come first. */
const FIRST = ['accounts', 'projects', 'members', 'runs']
const rankOf = ({ table }: Policy) => (FIRST.includes(table) ? FIRST.indexOf(table) : FIRST.length)

export interface ViewStatements {
  table: string
  statements: string[]
}

/** @param schema the schema of the tables */
export function viewsFor(policies: readonly Policy[], schema: string): ViewStatements[] {
  return [...policies]
    .sort((a, b) => rankOf(a) - rankOf(b) || a.table.localeCompare(b.table))
    .map(({ table, condition }) => ({
      table,
      statements: [
        // Names in the condition resolve as in a read for a caller.
        `set local search_path = ${TENANT_ROLE}, ${schema}`,
        `create or replace view ${TENANT_ROLE}.${table} as select * from ${schema}.${table} where ${condition}`,
        `set local search_path = ${schema}`,
        `grant select on ${TENANT_ROLE}.${table} to ${TENANT_ROLE}`,
      ],
    }))
}
