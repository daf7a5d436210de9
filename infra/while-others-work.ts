// Changes the schema while others use it. Guarantee: a statement that waits for a table lock blocks all later ones, so
// a change waits only LOCK_WAIT_MS, lets others pass, and retries a bounded number of times.

import type { Sql } from 'postgres'
import { ExitError } from './local/exit-error.ts'

const LOCK_WAIT_MS = 1000
const LOCK_TRIES = 30
// lock_not_available, deadlock_detected: a migration of two tables may meet a statement that locks them in another
// order.
const IN_THE_WAY = ['55P03', '40P01']

/** Call it after taking the migrations' advisory lock, whose wait the timeout would limit too. */
export async function whileOthersWork(sql: Sql, change: () => Promise<unknown>): Promise<void> {
  await sql`select set_config('lock_timeout', ${LOCK_WAIT_MS.toString()}, false)`
  for (let tries = LOCK_TRIES; ; tries--) {
    try {
      await change()
      return
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (tries > 1) continue
      throw inTheWay()
    }
  }
}

export const inTheWay = (): ExitError =>
  new ExitError(
    'migration_waits',
    'a transaction holds a table that is to be changed (see pg_stat_activity). End it, then run this again: nothing is half done.',
  )

const isInTheWay = (error: unknown): boolean =>
  error instanceof Error &&
  (IN_THE_WAY.includes((error as { code?: string }).code ?? '') || isInTheWay(error.cause))
