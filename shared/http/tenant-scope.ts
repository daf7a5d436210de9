// Limits reads to their caller's account. Guarantee: a read's handler gets only stores that show this account; a
// stream, which continues after its handler has returned, gets such stores for each piece it reads. A heavy read waits
// for its turn before it takes a connection, so that plain reads never queue behind it.

import { noStores, readForAccount } from '../accounts/queries/tenant.ts'
import type { Context } from '../context.ts'
import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { Principal } from './principal.ts'

export interface Reading {
  ctx: Context
  /**
   * Reads in a transaction of its own, for what a stream sends after its answer has started: the stores of a stream's
   * own `ctx` are closed. Otherwise it reads in the transaction of `ctx`.
   */
  read<T>(make: (ctx: Context) => Promise<T>): Promise<T>
}

interface Form {
  /** The answer continues after its handler has returned. */
  isStream: boolean
  /** The read may take seconds. */
  isHeavy: boolean
  /** Whether the caller is still one, before each read after the first. */
  mayStill(): Promise<boolean>
}

export function inTenantScope<T>(
  ctx: Context,
  principal: Principal,
  { isStream, isHeavy, mayStill }: Form,
  handle: (reading: Reading) => Promise<T>,
): Promise<T> {
  const { account_id } = principal
  let isFirst = true
  const read = async <R>(make: (ctx: Context) => Promise<R>) => {
    // A stream goes on for as long as its caller takes it: after a revocation it reads nothing more.
    if (isStream && !isFirst && !(await mayStill())) throw revokedMeanwhile()
    isFirst = false
    // An answer that has started waits longer for its turn, so that it is not broken off.
    using _turn = isHeavy
      ? await turnFor(ctx, account_id, isStream ? LIMITS.store_long_ms : LIMITS.heavy_wait_ms)
      : undefined
    const statement = isHeavy ? 'heavy' : 'plain'
    return await readForAccount(ctx.reads, account_id, stores => make({ ...ctx, ...stores }), statement)
  }
  if (isStream) return handle({ ctx: { ...ctx, ...noStores() }, read })
  return read(within => handle(outsideTenantScope(within)))
}

/** For everything that is no read of a caller. */
export const outsideTenantScope = (ctx: Context): Reading => ({ ctx, read: make => make(ctx) })

const revokedMeanwhile = () =>
  new ApiError(
    'unauthenticated',
    'The key or session was revoked while the answer was sent.',
    'Use another one.',
  )

/** @throws ApiError `rate_limited` */
async function turnFor({ heavyReads }: Context, account_id: string, wait_ms: number): Promise<Disposable> {
  const giveBack = await heavyReads.take(account_id, 1, wait_ms)
  if (giveBack !== undefined) return { [Symbol.dispose]: giveBack }
  throw new ApiError(
    'rate_limited',
    'Too many searches, exports, comparisons and verifications are under way.',
    `Let one of yours end, then ask again: an account has ${LIMITS.heavy_reads_per_account} at a time in each process.`,
    Math.ceil(wait_ms / 1000),
  )
}
