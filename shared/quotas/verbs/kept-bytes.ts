// Keeps an account within its quota of kept bytes, and measures them. Guarantee: concurrent deployments never exceed
// the quota together; no run is started if the last measurement left no room for its inputs.

import type { Context, Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { addKeptBytes, findUnmeasured, measureKeptBytes } from '../queries/kept-bytes.ts'
import { countUsed, findQuotas, lockQuotas, type Whose } from '../queries/quotas.ts'
import { isRefused, limitOf, quotaError } from '../rules/quotas.ts'

const name = 'kept_bytes'

/** Adds kept bytes to the account's sum, in the transaction that stores them. @throws ApiError `quota_exceeded` */
export async function keepBytes(ctx: Context, whose: Whose, bytes: number): Promise<void> {
  const known = await findQuotas(ctx.db, whose)
  if (known === undefined || limitOf(known.plan, name) === null) return
  const { account_id } = known
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const limit = limitOf((await lockQuotas(db, account_id)) ?? {}, name)
    if (limit === null) return
    const { [name]: used } = await countUsed(db, account_id, [name])
    if (isRefused(limit, used, used + bytes)) throw quotaError({ account_id, name, limit, used, more: bytes })
    await addKeptBytes(db, account_id, bytes)
  })
}

/** The tick's chore: sums the kept bytes of accounts with such a quota again; returns how many accounts. */
export async function measureAccounts(ctx: Context): Promise<number> {
  const ids = await findUnmeasured(ctx.db, LIMITS.kept_bytes_ms, LIMITS.accounts_measured_per_sweep)
  for (const id of ids) await measureKeptBytes(ctx.db, id)
  return ids.length
}
