// Shows on a terminal the settings with which a schedule or a trigger starts its runs.

import type { Start } from '../view/start.ts'
import { span } from '../view/time.ts'
import { clean, money, plural } from './format.ts'
import type { Screen } from './output.ts'

export type Fact = readonly [label: string, text: string]

/** The settings that were set, and always the budget, even if there is none. */
export function startFacts(start: Start): Fact[] {
  const { budget_cents, allow_unpriced, pilot_items, concurrency, callback_url, tags } = start
  const { timeout_seconds, patience_seconds } = start
  return [
    ['budget', budget_cents === null ? 'none of its own' : `${money(budget_cents / 100)} a run`],
    ...(allow_unpriced ? [['unpriced', 'models without a price go on, and are not counted'] as const] : []),
    ...(pilot_items === null ? [] : [['pilot', `${plural(pilot_items, 'item')} first`] as const]),
    ...(concurrency === null ? [] : [['at once', plural(concurrency, 'item')] as const]),
    ...(timeout_seconds === null ? [] : [['timeout', `${timeout_seconds} s an item`] as const]),
    ...(patience_seconds === null
      ? []
      : [['patience', `${span(1000 * patience_seconds)} with providers that serve nobody`] as const]),
    ...(callback_url === null ? [] : [['callback', callback_url] as const]),
    ...(tags.length === 0 ? [] : [['tags', tags.join(', ')] as const]),
  ]
}

export function factLines(facts: readonly Fact[], { paint }: Screen): string[] {
  const width = Math.max(...facts.map(([label]) => label.length))
  return facts.map(([label, text]) => `${paint('dim', label.padEnd(width))}  ${clean(text)}`)
}
