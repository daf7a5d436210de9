// The clock from which ids get their time. Guarantee: it follows PostgreSQL's, by which all rows are dated, so a process
// whose own clock is wrong, or is set while it works, puts nothing on top of lists or out of the reach of filters.

import type { Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export interface IdClock {
  now(): number
  /** Resolves when PostgreSQL has been asked, at once if that was done and nothing has happened to the clocks since. */
  known(): Promise<void>
}

/** What two clocks of this process, which moves only forward and which people can set, showed when PostgreSQL was asked. */
interface Reading {
  database_ms: number
  steady_ms: number
  wall_ms: number
}

export function createIdClock(
  ask: () => Promise<number>,
  { steady, wall }: { steady: () => number; wall: () => number } = {
    steady: () => performance.now(),
    wall: Date.now,
  },
): IdClock {
  let last: Reading | undefined
  let asking: Promise<void> | undefined
  async function read(): Promise<void> {
    const began_ms = steady()
    const database_ms = await ask()
    const steady_ms = steady()
    last = { database_ms: database_ms + (steady_ms - began_ms) / 2, steady_ms, wall_ms: wall() }
  }
  const again = () => {
    asking ??= read()
      .catch(() => {}) // the statement that needs the id fails by itself
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  /** The clocks of the process disagree about how long ago it was: one was set, or the machine slept. */
  const isDoubtful = ({ steady_ms, wall_ms }: Reading) =>
    Math.abs(wall() - wall_ms - (steady() - steady_ms)) > LIMITS.id_clock_apart_ms
  return {
    now() {
      if (last === undefined) return wall()
      const since_ms = steady() - last.steady_ms
      if (since_ms > LIMITS.id_clock_ms || isDoubtful(last)) void again()
      return last.database_ms + since_ms
    },
    async known() {
      if (last === undefined || isDoubtful(last)) await again()
    },
  }
}

/** PostgreSQL's own clock, in milliseconds since 1970. */
export const askClock = (sql: Sql) => async (): Promise<number> => {
  const [row] = await sql<{ ms: number }[]>`
    select extract(epoch from pg_catalog.clock_timestamp())::float8 * 1000 as ms`
  return row!.ms
}
