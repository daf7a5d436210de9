// Lists in an answer what a key or a member made that stays, once the change that took their rights is committed.

import { type Actor, findMade } from '../accounts/queries/made.ts'
import type { Context } from '../context.ts'
import type { Principal } from './auth.ts'

export const madeBy = (actor: Actor, asking: Principal) => async (ctx: Context) => ({
  made: await findMade(ctx.db, actor, asking.kind === 'session' ? asking.member_id : null),
})
