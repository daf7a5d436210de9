// Formats and reads numbers and money for people, in the dashboard, the terminal and messages. Guarantee: an amount
// that was spent never shows as $0, and a written amount means the same everywhere.

import { INPUT_LIMITS } from '../../kernel/limits/input.ts'

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
/** Small amounts, never shown as 7e-6. */
const tiny = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export const count = (value: number): string => whole.format(value)

/** From a million on the first three digits. @example short(1_888_213) // '1.89M' */
export const short = (value: number): string => (value < 1e6 ? whole : compact).format(value)

/** @example counted(1, 'item') // '1 item' */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** A share, never rounded to none or to all. @example percent(1, 3) // '33.3 %' */
export function percent(part: number, of: number): string {
  if (of === 0) return '0 %'
  const share = (100 * part) / of
  if (share > 0 && share < 0.1) return '< 0.1 %'
  if (share < 100 && share > 99.9) return '> 99.9 %'
  return `${share.toFixed(1).replace('.0', '')} %`
}

/** Dollars; sums below ten cents keep three significant digits. */
export function money(usd: number): string {
  if (usd === 0) return '$0'
  return `$${(usd < 0.1 ? tiny : cents).format(usd)}`
}

/** Micro-dollars, as `money` shows them. @example dollars(3_000) // '$0.003' */
export const dollars = (micro: number): string => money(micro / 1e6)

const AMOUNT = /^(?:(\$)\s*)?(\d{1,10})(?:\.(\d{1,2}))?(c)?$/

/**
 * Whole cents of an amount as people write it: `5`, `5.00`, `$5` or `500c`. A number without a unit is dollars.
 * Undefined for a text that is no amount, or more than any budget may be.
 *
 * @example centsOfAmount('500c') // 500
 */
export function centsOfAmount(text: string): number | undefined {
  const [, sign, whole, part, cents] = AMOUNT.exec(text.trim()) ?? []
  if (whole === undefined || (cents !== undefined && (sign ?? part) !== undefined)) return undefined
  const value =
    cents !== undefined ? Number(whole) : Number(whole) * 100 + Number((part ?? '').padEnd(2, '0'))
  return value > INPUT_LIMITS.budget_cents ? undefined : value
}
