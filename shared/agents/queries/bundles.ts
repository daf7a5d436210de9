// The code of bundle deployments, by the hash of its content. Guarantee: the code is what was deployed, since it is hashed
// again: who changes the row gets no environment for other code.

import type { Sql } from '../../context.ts'
import { sha256, toHex } from '../../kernel/secrets.ts'

/** @throws when no deployment was ever made of it. */
export async function findBundle(sql: Sql, hash: string): Promise<string> {
  const [row] = await sql<{ code: string }[]>`select code from bundles where hash = ${hash}`
  if (!row) throw new Error(`no bundle ${hash} is stored`)
  if (toHex(await sha256(row.code)) !== hash)
    throw new Error(`the code of bundle ${hash} is another than was deployed`)
  return row.code
}
