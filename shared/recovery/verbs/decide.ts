// Decides about a whole cohort: dismisses, acknowledges, resumes or calls wrong its waiting items. Guarantee: a step
// decides about a bounded number of items and counts them in one transaction, so after a crash the next step continues
// behind it.

import type { Sql } from '../../context.ts'
import { authorName } from '../../items/rules/started-by.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { acknowledge, endWaiting, resume } from '../../triage/queries/decisions.ts'
import type { TriageAction } from '../../triage/vocabulary.ts'
import { nextToDecide, noteDecided } from '../queries/cohort-decisions.ts'
import { madeOfHeld } from '../queries/makers.ts'
import { type OpenRecovery, updateRecovery } from '../queries/recoveries.ts'
import { addMade } from '../rules/makers.ts'
import { withinSteps } from './copy.ts'

const DECISIONS: Record<
  Exclude<TriageAction, 'replay'>,
  (sql: Sql, keys: readonly ItemKey[], by: string | null) => Promise<number>
> = {
  dismiss: (sql, keys, by) => endWaiting(sql, keys, { as: 'dismissed', one_by_one: false }, by),
  wrong: (sql, keys, by) => endWaiting(sql, keys, { as: 'wrong', of: 'verdict' }, by),
  acknowledge,
  resume: (sql, keys, by) => resume(sql, keys, null, by),
}

/** Takes one step under the lock of the recovery's row; true when another can follow at once. */
export async function decideNext(sql: Sql, recovery: OpenRecovery): Promise<boolean> {
  const { action, status } = recovery
  if (action === 'replay') throw new Error('a replay decides nothing')
  if (status === 'aborting') {
    await updateRecovery(sql, recovery, { status: 'aborted' })
    return false
  }
  const next = await nextToDecide(sql, recovery, LIMITS.recovery_chunk_items)
  const keys = action === 'resume' ? await withinSteps(sql, next) : next
  if (keys.length === 0) {
    await updateRecovery(sql, recovery, { status: 'completed' })
    return false
  }
  if (action === 'resume') {
    const reused = addMade(recovery.reused, await madeOfHeld(sql, keys))
    await updateRecovery(sql, recovery, { reused })
  }
  const by = recovery.created_by && authorName(recovery.created_by)
  await noteDecided(sql, recovery, await DECISIONS[action](sql, keys, by), keys.at(-1)!)
  return true
}
