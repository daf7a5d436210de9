// Sums of money as people type them into forms, read alike by the server and by the pages' scripts.

import { centsOfAmount } from '../../../shared/prices/rules/amounts.ts'

/** What a field for an amount says about itself. */
export const AMOUNT_HINT = '5.00, $5 or 500c; a bare 5 is dollars.'

/** Whole cents; undefined for an empty field, null for what is no sum. @example centsOfDollars('0.5') // 50 */
export function centsOfDollars(text: string | undefined): number | undefined | null {
  const given = text?.trim()
  return given ? (centsOfAmount(given, 'dollars') ?? null) : undefined
}
