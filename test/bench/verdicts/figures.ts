// Counts how often a detector is right about labelled answers, and formats the result as lines of a table.

import type { RefusalLevel } from '../../../shared/refusals/rules/refusal.ts'
import type { LabelledAnswer } from './data.ts'

export interface Judged {
  answer: LabelledAnswer
  level: RefusalLevel
}

type Says = (one: Judged) => boolean

const DETECTORS: readonly [name: string, says: Says, knows: Says][] = [
  ['sure', ({ level }) => level === 'sure', () => true],
  ['suspected too', ({ level }) => level !== 'none', () => true],
  [
    'string list',
    ({ answer }) => answer.string_match === true,
    ({ answer }) => answer.string_match !== undefined,
  ],
  ['judge', ({ answer }) => answer.judge === true, ({ answer }) => answer.judge !== undefined],
]

const share = (part: number, whole: number) => (whole === 0 ? '    –' : (part / whole).toFixed(3))

/** Recall and precision over answers labelled as refusal or as answer; partial refusals are counted separately. */
function ratesOf(judged: readonly Judged[], says: Says): string {
  const refusals = judged.filter(({ answer }) => answer.label === 'refusal')
  const found = refusals.filter(says).length
  const wrong = judged.filter(one => one.answer.label === 'compliance' && says(one)).length
  return `${share(found, refusals.length)} ${share(found, found + wrong)}`
}

export const HEADING = `${''.padEnd(30)}${'refusals'.padStart(9)}${'answers'.padStart(9)}  ${DETECTORS.map(([name]) => name.padEnd(13)).join('  ')}  partial called sure`

/** @example 'xstest llama    524  277  0.859 0.968  0.935 0.940 …' */
export function lineOf(name: string, judged: readonly Judged[]): string {
  const of = (label: LabelledAnswer['label']) => judged.filter(({ answer }) => answer.label === label)
  const rates = DETECTORS.map(([, says, knows]) =>
    (judged.every(knows) ? ratesOf(judged, says) : '').padEnd(13),
  )
  const partial = of('partial')
  const surely = partial.filter(({ level }) => level === 'sure').length
  const counts = `${String(of('refusal').length).padStart(9)}${String(of('compliance').length).padStart(9)}`
  return `${name.padEnd(30)}${counts}  ${rates.join('  ')}  ${partial.length === 0 ? '' : `${surely} of ${partial.length}`}`.trimEnd()
}

/** Returns a line for each group that has a refusal, the largest first. */
export function linesBy(judged: readonly Judged[], nameOf: (answer: LabelledAnswer) => string): string[] {
  return [...Map.groupBy(judged, ({ answer }) => nameOf(answer))]
    .filter(([, list]) => list.some(({ answer }) => answer.label === 'refusal'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, list]) => lineOf(name, list))
}
