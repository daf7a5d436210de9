// Holds which list of prices this process uses: the one it came with, until a newer one was fetched.

import { PRICES_AS_OF, PRICES_SOURCE } from './price-list.gen.ts'

let held = { day: PRICES_AS_OF, source: PRICES_SOURCE }

export const pricesAsOf = (): string => held.day
export const pricesSource = (): string => held.source

export function setPricesDay(day: string, source: string): void {
  held = { day, source }
}
