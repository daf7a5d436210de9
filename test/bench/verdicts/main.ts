// Measures how good the detector of refusals is over labelled answers in the plain form (data.ts): recall and precision of
// sure and of suspected refusals, by set, family and language, beside a list of strings and a judge where their labels were
// recorded; how many sentences of customers it takes for refusals; and how good the other checks are, over our own answers
// and nights and over the answers of the folder, whose lines may name the check that should find them.
//
//   npm run bench:verdicts -- --data FOLDER [--leave-out]
//
// --leave-out trains once without each family of the data and measures on that family, which takes some minutes.

import { parseArgs } from 'node:util'
import { type RefusalDetector, readRefusal, refusalDetector } from '../../../shared/refusals/rules/refusal.ts'
import { checkFigures } from './check-figures.ts'
import { type LabelledAnswer, readLabelled } from './data.ts'
import { HEADING, type Judged, lineOf, linesBy } from './figures.ts'
import { fit, HELD_OUT, prepare } from './fit.ts'
import { ownSentences } from './own.ts'

const { values } = parseArgs({ options: { data: { type: 'string' }, 'leave-out': { type: 'boolean' } } })
if (values.data === undefined) {
  console.error(
    'usage: npm run bench:verdicts -- --data FOLDER [--leave-out]: a folder of JSONL with text, label, family, lang',
  )
  process.exit(2)
}

const judgedBy = ({ read }: RefusalDetector, answers: readonly LabelledAnswer[]): Judged[] =>
  answers.map(answer => ({ answer, level: read(answer.text).level }))

/** With fewer labelled refusals, the figures of a family mean little. */
const LEAST_REFUSALS = 30
const CUSTOMERS_SHOWN = 10

const answers = readLabelled(values.data)
const judged = judgedBy({ read: readRefusal }, answers)
console.log(`The detector as it is shipped\n${HEADING}`)
console.log(lineOf('all', judged))
console.log(linesBy(judged, ({ set }) => set).join('\n'))
console.log(linesBy(judged, ({ set, family }) => `  ${set} ${family}`).join('\n'))
console.log(linesBy(judged, ({ lang = 'unknown' }) => `  language ${lang}`).join('\n'))

const customers = judged.filter(({ answer }) => answer.label === 'customer')
if (customers.length > 0) {
  const sure = customers.filter(({ level }) => level === 'sure')
  const suspected = customers.filter(({ level }) => level === 'suspected').length
  console.log(
    `\nOf ${customers.length} sentences of customers ${sure.length} are called sure, ${suspected} suspected.`,
  )
  for (const { answer } of sure.slice(0, CUSTOMERS_SHOWN)) console.log(`  ${answer.text.slice(0, 150)}`)
}

console.log(`\n${checkFigures(answers).join('\n')}`)

if (values['leave-out']) {
  const prepared = prepare([...answers, ...ownSentences()].filter(({ set }) => !HELD_OUT.has(set)))
  const labelled = answers.filter(({ label }) => ['refusal', 'compliance', 'partial'].includes(label))
  const pooled: Judged[] = []
  console.log(`\nEach family by a detector that was trained without it\n${HEADING}`)
  for (const [family, list] of Map.groupBy(labelled, ({ family }) => family)) {
    if (list.filter(({ label }) => label === 'refusal').length < LEAST_REFUSALS) continue
    const without = judgedBy(refusalDetector(fit(prepared, answer => answer.family !== family)), list)
    pooled.push(...without)
    console.log(lineOf(family, without))
    console.log(linesBy(without, ({ set }) => `  ${set}`).join('\n'))
  }
  console.log(lineOf('all', pooled))
}

const CLOCKED = 20_000
const texts = answers.slice(0, CLOCKED).map(({ text }) => text)
for (const text of texts) readRefusal(text)
const before = process.cpuUsage()
for (const text of texts) readRefusal(text)
const { user, system } = process.cpuUsage(before)
console.log(`\n${((user + system) / texts.length).toFixed(1)} µs an answer`)
