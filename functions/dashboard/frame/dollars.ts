// Sums of money as people type them, read alike by the server and by the pages' scripts.

const DOLLARS = /^\$?\s*(\d{1,9})(?:\.(\d{1,2}))?$/

/** Whole cents; undefined for an empty field, null for what is no sum. @example centsOfDollars('0.5') // 50 */
export function centsOfDollars(text: string | undefined): number | undefined | null {
  const given = text?.trim()
  if (!given) return undefined
  const [, whole, part = ''] = DOLLARS.exec(given) ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}
