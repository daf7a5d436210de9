// Lists in an answer what a key or a member made that stays, once the change that took their rights is committed.

import type { Context } from '../../context.ts'
import { type Actor, findMade } from '../queries/made.ts'

type Asking = { kind: 'key' } | { kind: 'session'; member_id: string }

export const madeBy = (actor: Actor, asking: Asking) => async (ctx: Context) => ({
  made: await findMade(ctx.db, actor, asking.kind === 'session' ? asking.member_id : null),
})
