// Recoveries in tests of the engine: an order with defaults, and running one to its end.

import { consume } from '../../shared/consumer/verbs/consume.ts'
import { advanceRecoveries, type RecoveryOrder } from '../../shared/recovery/verbs/recover.ts'
import type { TestEngine } from './engine.ts'

export const recoveryOrder = (engine: TestEngine, more: Partial<RecoveryOrder> = {}): RecoveryOrder => ({
  project_id: engine.project_id,
  name: 'after the outage',
  action: 'replay',
  filter: {},
  first: null,
  deployment: 'current',
  reuse: 'auto',
  from_step: null,
  budget_cents: null,
  ...more,
})

export const findRecovery = async (engine: TestEngine, id: string) =>
  (await engine.sql`select * from recoveries where id = ${id}`)[0]!

/** Advances and consumes until the recovery has ended; an error on the way is thrown, as if the process had died. */
export async function recovered(engine: TestEngine, id: string) {
  for (let i = 0; i < 40; i++) {
    await advanceRecoveries(engine.ctx)
    await consume(engine.ctx)
    const row = await findRecovery(engine, id)
    if (row.finished_at !== null) return row
  }
  throw new Error(`recovery ${id} does not end: ${JSON.stringify(await findRecovery(engine, id))}`)
}
