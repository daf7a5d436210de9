// Limits of an upstream that people set. Guarantee: what is stored was checked, and a text that is no limit is refused with
// the nearest one that is.

/** As people write them: `500/min`. */
export interface DeclaredLimits {
  requests?: string | undefined
  tokens?: string | undefined
  /** Items in flight that need it. */
  in_flight?: number | undefined
}

/** So much in a length of time. */
export interface Rate {
  amount: number
  length_ms: number
}

export const RATED = ['requests', 'tokens'] as const

const UNITS = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof UNITS

/** How else people name the units. */
const NAMES: Readonly<Record<string, Unit>> = {
  s: 's',
  sec: 's',
  second: 's',
  min: 'min',
  m: 'min',
  minute: 'min',
  h: 'h',
  hr: 'h',
  hour: 'h',
  d: 'd',
  day: 'd',
}
const TIMES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9 }
/** Far more than any provider lets through, and exact as a number. */
const MOST = 1e12

const WRITTEN = /^([1-9]\d{0,12})\/(s|min|h|d)$/

/** The rate that a checked text stands for. @example rateOf('500/min') // { amount: 500, length_ms: 60_000 } */
export function rateOf(text: string): Rate {
  const [, amount, unit] = WRITTEN.exec(text) ?? []
  return { amount: Number(amount), length_ms: UNITS[unit as Unit] }
}

/** What is wrong with a text, with what to write instead; undefined if it is a rate. @example rateProblem('60 rpm') */
export function rateProblem(text: string): string | undefined {
  const [, amount] = WRITTEN.exec(text) ?? []
  if (amount !== undefined && Number(amount) <= MOST) return undefined
  return `must be a number and a unit, such as 500/min (units: s, min, h, d): write ${nearestRate(text)}`
}

/** What somebody may have meant. @example nearestRate('200k per minute') // '200000/min' @example nearestRate('60 rpm') // '60/min' */
export function nearestRate(text: string): string {
  const plain = text.replaceAll(/[,_\s]/g, '')
  const [, number = '500', times = '', rest = ''] =
    /^[-+]?(\d+(?:\.\d+)?(?:e\d+)?)([kKMB])?(.*)$/.exec(plain) ?? []
  const amount = Math.min(MOST, Math.max(1, Math.round(Number(number) * (TIMES[times] ?? 1))))
  return `${amount}/${unitIn(rest.toLowerCase())}`
}

function unitIn(rest: string): Unit {
  const [, per] = /^[rt]?p(?:er)?([a-z]+)$/.exec(rest) ?? []
  const word = per ?? rest.replace(/^(requests|tokens|calls)?(\/|per|a|each)*/, '')
  return NAMES[word] ?? NAMES[word.replace(/s$/, '')] ?? NAMES[word.slice(0, 1)] ?? 'min'
}

/** The lower of two, part by part. */
export function lowerOf(one: DeclaredLimits, other: DeclaredLimits): DeclaredLimits {
  const lower: DeclaredLimits = {}
  for (const part of RATED) {
    const [a, b] = [one[part], other[part]]
    const kept = a === undefined || (b !== undefined && perMs(b) < perMs(a)) ? b : a
    if (kept !== undefined) lower[part] = kept
  }
  const in_flight = Math.min(
    one.in_flight ?? Number.POSITIVE_INFINITY,
    other.in_flight ?? Number.POSITIVE_INFINITY,
  )
  return Number.isFinite(in_flight) ? { ...lower, in_flight } : lower
}

const perMs = (text: string): number => {
  const { amount, length_ms } = rateOf(text)
  return amount / length_ms
}

/** In words. @example limitsText({ requests: '500/min', in_flight: 20 }) // '500 requests a minute, 20 in flight' */
export function limitsText({ requests, tokens, in_flight }: DeclaredLimits): string {
  const parts = [
    ...(requests === undefined ? [] : [rateText(requests, 'request')]),
    ...(tokens === undefined ? [] : [rateText(tokens, 'token')]),
    ...(in_flight === undefined ? [] : [`${in_flight.toLocaleString('en')} in flight`]),
  ]
  return parts.join(', ')
}

const WORDS: Readonly<Record<number, string>> = {
  [UNITS.s]: 'a second',
  [UNITS.min]: 'a minute',
  [UNITS.h]: 'an hour',
  [UNITS.d]: 'a day',
}

function rateText(text: string, noun: string): string {
  const { amount, length_ms } = rateOf(text)
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'} ${WORDS[length_ms]}`
}
