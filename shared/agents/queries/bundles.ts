// The code of bundle deployments, by the hash of its content.

import type { Sql } from '../../context.ts'

/** @throws when no deployment was ever made of it. */
export async function findBundle(sql: Sql, hash: string): Promise<string> {
  const [row] = await sql<{ code: string }[]>`select code from bundles where hash = ${hash}`
  if (!row) throw new Error(`no bundle ${hash} is stored`)
  return row.code
}
