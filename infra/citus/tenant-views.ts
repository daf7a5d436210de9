// What reads for callers see on a cluster. Guarantee: a name without a schema shows such a read the rows that the policy of
// that table shows on one machine, and nothing of another account.
//
// Citus takes no policy that asks another table. So each such policy becomes a view, in the schema that these reads look
// in first; the conditions stay those of the policies, and what they ask is a view as well.

import { TENANT_ROLE } from '../../shared/accounts/tables/tenant.ts'

export interface Policy {
  table: string
  /** As PostgreSQL prints it. */
  condition: string
}

/** Those that others ask come first. */
const FIRST = ['accounts', 'projects', 'members', 'runs']
const rankOf = ({ table }: Policy) => (FIRST.includes(table) ? FIRST.indexOf(table) : FIRST.length)

export interface ViewStatements {
  table: string
  statements: string[]
}

/** @param schema where the tables are */
export function viewsFor(policies: readonly Policy[], schema: string): ViewStatements[] {
  return [...policies]
    .sort((a, b) => rankOf(a) - rankOf(b) || a.table.localeCompare(b.table))
    .map(({ table, condition }) => ({
      table,
      statements: [
        // Names in the condition are looked up as in a read for a caller.
        `set local search_path = ${TENANT_ROLE}, ${schema}`,
        `create or replace view ${TENANT_ROLE}.${table} as select * from ${schema}.${table} where ${condition}`,
        `set local search_path = ${schema}`,
        `grant select on ${TENANT_ROLE}.${table} to ${TENANT_ROLE}`,
      ],
    }))
}
