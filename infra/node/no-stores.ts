// The connections of a unit that asks no store. Guarantee: whatever reaches for one fails, and says that there is none.

import type { Connections } from './connections.ts'

const none = (): never => {
  throw new Error('this unit is given no store: infra/unit-settings.ts says what it is given')
}
// biome-ignore lint/suspicious/noExplicitAny: it stands for any store, and is none
const absent: any = new Proxy(none, { get: none, apply: none })

export const NO_STORES: Connections = {
  sql: absent,
  db: absent,
  lanes: { take: none, give: none },
  redis: absent,
  close: async () => {},
}
