// Parses sums of money as people type them into forms, for both the server and the pages' scripts.

import { centsOfAmount } from '../../../shared/prices/rules/amounts.ts'

/** The hint of a field for an amount. */
export const AMOUNT_HINT = '5.00 or $5 or 500c; a bare 5 is dollars.'

/** Whole cents; undefined for an empty field, null for an invalid amount. @example centsOfDollars('0.5') // 50 */
export function centsOfDollars(text: string | undefined): number | undefined | null {
  const given = text?.trim()
  return given ? (centsOfAmount(given) ?? null) : undefined
}
