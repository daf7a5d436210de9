// Takes back what a key or a member made. Guarantee: the answer lists what there was before anything of it was revoked.

import type { Database } from '../../context.ts'
import { findMade, type Maker, type Revocation, revokeMade } from '../queries/made.ts'
import type { MadeRow } from '../wire/members.ts'

export async function takeBack(db: Database, maker: Maker, revocation: Revocation): Promise<MadeRow[]> {
  const made = await findMade(db, maker)
  await revokeMade(db, maker, revocation)
  return made
}
