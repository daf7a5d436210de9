// Measures how good the other checks are: over answers and nights of our own, over the answers of a folder that name a
// check, and how many of all answers of that folder each check finds.

import { failedCheck } from '../../../shared/grading/rules/checks.ts'
import { CHECKS, RUN_CHECKS } from '../../../shared/grading/vocabulary.ts'
import { CHECK_CASES, type CheckCase } from './check-cases.ts'
import type { LabelledAnswer } from './data.ts'
import { judgedNights } from './nights.ts'

const share = (part: number, whole: number) => (whole === 0 ? '–' : (part / whole).toFixed(3))

const row = (name: string, ...cells: readonly (string | number)[]) =>
  `${name.padEnd(16)}${cells.map(cell => String(cell).padStart(10)).join('')}`

/** @example 'asks_back  330  282  1.000  1.000' */
function figures(name: string, found: readonly boolean[], passed: readonly boolean[]): string {
  const right = found.filter(Boolean).length
  const wrong = passed.filter(Boolean).length
  return row(name, found.length, passed.length, share(right, right + wrong), share(right, found.length))
}

export function checkFigures(answers: readonly LabelledAnswer[]): string[] {
  const nights = judgedNights()
  const heading = row('', 'true', 'false', 'precision', 'recall')
  const lines = [`The further checks, over answers and nights of our own\n${heading}`]
  for (const check of CHECKS) {
    const says = ({ text, asked }: CheckCase) => failedCheck(text, [check], asked) !== undefined
    const { found, passed } = CHECK_CASES[check]
    lines.push(figures(check, found.map(says), passed.map(says)))
  }
  for (const check of RUN_CHECKS) lines.push(figures(check, nights[check].found, nights[check].passed))
  const named = answers.filter(({ check }) => check !== undefined)
  if (named.length > 0)
    lines.push(`\nOver answers of the folder that say which check should find them\n${heading}`)
  for (const check of CHECKS.filter(name => named.some(one => one.check === name))) {
    const [due, others] = [true, false].map(is =>
      named.filter(one => (one.check === check) === is).map(says(check)),
    )
    lines.push(figures(check, due!, others!))
  }
  lines.push('\nFound by them in all answers of the folder')
  for (const check of CHECKS) {
    const found = answers.filter(says(check))
    const bySet = [...Map.groupBy(found, ({ set }) => set)].map(([set, list]) => `${set} ${list.length}`)
    lines.push(`  ${check.padEnd(15)} ${found.length} of ${answers.length}  ${bySet.join(', ')}`)
  }
  return lines
}

const says = (check: (typeof CHECKS)[number]) => (answer: LabelledAnswer) =>
  failedCheck(answer.text, [check], answer) !== undefined
