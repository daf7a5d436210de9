// Says which values the fields of a cron expression name, for tests. Guarantee: it shares no code with cron-parser, which
// parses the fields for the service, and asks the other way round: not which values a field has, but of each value whether
// an item names it.

/** The fields in order, with their least and greatest value and the names of their values, from the least on. */
export const CRON_FIELDS: readonly { min: number; max: number; names: readonly string[] }[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ') },
  { min: 0, max: 7, names: 'SUN MON TUE WED THU FRI SAT'.split(' ') },
]

/** The values of each field of a valid expression, ascending. Sunday is 0. */
export function referenceValues(text: string) {
  const values = text.split(' ').map((field, at) => {
    const { min, max } = CRON_FIELDS[at]!
    const all = Array.from({ length: max - min + 1 }, (_, n) => min + n)
    return all.filter(value => field.split(',').some(item => isNamed(at, item, value)))
  })
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = values
  return { minutes, hours, days, months, weekdays: [...new Set(weekdays.map(day => day % 7))].sort() }
}

function isNamed(at: number, item: string, value: number): boolean {
  const { min, max, names } = CRON_FIELDS[at]!
  const [range, step = '1'] = item.split('/') as [string, string?]
  const numberOf = (end: string) => {
    const place = names.indexOf(end.toUpperCase())
    return place < 0 ? Number(end) : min + place
  }
  const [from, to = from] = range === '*' ? [min, max] : (range.split('-').map(numberOf) as [number, number?])
  return value >= from && value <= to && (value - from) % Number(step) === 0
}
