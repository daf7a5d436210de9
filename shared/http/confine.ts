// Confines reads to their caller's account. Guarantee: a handler of a read has no other stores than those that show
// this account, and a stream, which goes on after its handler has returned, none but the ones of each piece it reads.

import type { Context } from '../context.ts'
import { noStores, readForAccount } from '../store/tenant.ts'
import type { Principal } from './auth.ts'

export interface Reading {
  ctx: Context
  /**
   * Reads in a transaction of its own what a stream sends after its answer has begun; the stores of a stream's own
   * `ctx` are shut. In everything else it is the transaction of `ctx`.
   */
  read<T>(make: (ctx: Context) => Promise<T>): Promise<T>
}

export function confined<T>(
  ctx: Context,
  principal: Principal,
  form: 'answer' | 'stream',
  handle: (reading: Reading) => Promise<T>,
): Promise<T> {
  const read = <R>(make: (ctx: Context) => Promise<R>) =>
    readForAccount(ctx.lanes, principal.account_id, stores => make({ ...ctx, ...stores }))
  if (form === 'stream') return handle({ ctx: { ...ctx, ...noStores() }, read })
  return read(within => handle(unconfined(within)))
}

/** For what is no read of a caller. */
export const unconfined = (ctx: Context): Reading => ({ ctx, read: make => make(ctx) })
