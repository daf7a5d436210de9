// Keeps an account within its quotas, and lets the operator set them. Guarantee: concurrent changes never exceed a
// quota together; existing rows stay, however far a quota is lowered.

import { updateAccount } from '../../accounts/queries/accounts.ts'
import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { measureKeptBytes } from '../queries/kept-bytes.ts'
import { countUsed, findQuotas, lockQuotas, type Whose } from '../queries/quotas.ts'
import {
  COUNTED,
  type Counted,
  changed,
  isRefused,
  limitOf,
  QUOTA_NAMES,
  type QuotaName,
  quotaError,
  type SetQuotas,
} from '../rules/quotas.ts'

/**
 * Makes a change that may use up a quota. Usage is counted before and after it under the account's lock, in one
 * transaction.
 *
 * @throws ApiError with the quota's code if the change exceeds it
 */
export async function withinQuota<T>(
  ctx: Context,
  whose: Whose,
  name: Exclude<Counted, 'kept_bytes'>,
  make: (ctx: Context) => Promise<T>,
): Promise<T> {
  const known = await findQuotas(ctx.db, whose)
  if (known === undefined || limitOf(known.plan, name) === null) return make(ctx)
  const { account_id } = known
  return ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const limit = limitOf((await lockQuotas(db, account_id)) ?? {}, name)
    if (limit === null) return make({ ...ctx, db })
    const { [name]: before } = await countUsed(db, account_id, [name])
    const value = await make({ ...ctx, db })
    const { [name]: after } = await countUsed(db, account_id, [name])
    if (isRefused(limit, before, after))
      throw quotaError({ account_id, name, limit, used: before, more: after - before })
    return value
  })
}

export interface QuotaRow {
  name: QuotaName
  limit: number | null
  used: number | null
  is_set: boolean
}

/** @throws ApiError `not_found` */
export async function listQuotas(ctx: Pick<Context, 'db'>, account_id: string): Promise<QuotaRow[]> {
  const known = await findQuotas(ctx.db, { account_id })
  if (known === undefined) throw noAccount()
  const used: Partial<Record<QuotaName, number>> = await countUsed(ctx.db, account_id, COUNTED)
  return QUOTA_NAMES.map(name => ({
    name,
    limit: limitOf(known.plan, name),
    used: used[name] ?? null,
    is_set: known.plan[name] != null,
  }))
}

/** Sets quotas, where null goes back to the default; returns all that are set now. @throws ApiError `not_found` */
export async function setQuotas(
  ctx: Context,
  account_id: string,
  changes: { [K in QuotaName]?: number | null | undefined },
): Promise<SetQuotas> {
  return ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const set = await lockQuotas(db, account_id)
    if (set === undefined) throw noAccount()
    const plan = changed(set, changes)
    await updateAccount(db, account_id, { plan })
    if (changes.kept_bytes != null) await measureKeptBytes(db, account_id)
    return plan
  })
}

const noAccount = () => new ApiError('not_found', 'There is no such account in this installation.')
