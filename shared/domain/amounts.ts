// Numbers and money as every reader sees them: in the dashboard, in the terminal and in messages.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
/** Fractions of a cent, never as 7e-6. */
const tiny = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })

export const count = (value: number): string => whole.format(value)

/** @example counted(1, 'item') // '1 item' */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** Dollars; small sums keep two digits that mean something. */
export function money(usd: number): string {
  if (usd === 0) return '$0'
  return `$${(usd < 0.01 ? tiny : cents).format(usd)}`
}
