// Revokes what a key or a member made. Guarantee: nothing of it is made meanwhile, by whatever it made before.

import type { Database } from '../../context.ts'
import { endMinting } from '../queries/caller-locks.ts'
import { type Actor, type Revocation, type Revoked, revokeMade } from '../queries/made.ts'

/** In the transaction that ended the actor itself: what it writes is written by then. */
export async function revokeAllMade(db: Database, actor: Actor, revocation: Revocation): Promise<Revoked> {
  // A chain of keys in which each makes the next would outrun a search.
  await endMinting(db, actor.account_id)
  return revokeMade(db, actor, revocation)
}
