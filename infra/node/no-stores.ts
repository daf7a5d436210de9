// Placeholders for absent stores: for units that query none, and for hosts that cannot exit where a store's URL is
// missing. Guarantee: every use of such a store fails with the reason why it is absent.

import type { Connections } from './connections.ts'

const absent = new WeakMap<object, Error>()

/** Why a store is absent; undefined for a real store. */
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

/** A placeholder for PostgreSQL's pools. */
export function absentDatabase(why: Error): Omit<Connections, 'redis'> {
  const store = absentStore(why)
  return { sql: store, db: store, reads: { size: 0, take: store, give: store }, close: async () => {} }
}

const NOT_GIVEN = new Error('this unit is given no store: infra/unit-settings.ts says what it is given')

export const NO_STORES: Connections = { ...absentDatabase(NOT_GIVEN), redis: absentStore(NOT_GIVEN) }
