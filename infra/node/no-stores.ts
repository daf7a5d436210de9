// Stores that are not there: of a unit that asks none, and of one whose host cannot be ended where their URL is missing.
// Guarantee: whatever reaches for one fails, and says why there is none.

import type { Connections } from './connections.ts'

const absent = new WeakMap<object, Error>()

/** Why a store is not there; undefined of one that is. */
export const whyAbsent = (store: object): Error | undefined => absent.get(store)

// biome-ignore lint/suspicious/noExplicitAny: it stands for any store, and is none
export function absentStore(why: Error): any {
  const fail = (): never => {
    throw why
  }
  const store = new Proxy(fail, { get: fail, apply: fail })
  absent.set(store, why)
  return store
}

/** PostgreSQL in the place of its pools. */
export function absentDatabase(why: Error): Omit<Connections, 'redis'> {
  const store = absentStore(why)
  return { sql: store, db: store, reads: { size: 0, take: store, give: store }, close: async () => {} }
}

const NOT_GIVEN = new Error('this unit is given no store: infra/unit-settings.ts says what it is given')

export const NO_STORES: Connections = { ...absentDatabase(NOT_GIVEN), redis: absentStore(NOT_GIVEN) }
