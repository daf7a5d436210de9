// Makes the weights of the refusal detector (shared/refusals/rules/refusal-weights.gen.ts) from labelled answers in the
// plain form, and from sentences of our own. Texts that are kept to measure with are not used.
//
//   node test/bench/verdicts/train.ts --data FOLDER

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readLabelled } from './data.ts'
import { fit, HELD_OUT, prepare } from './fit.ts'
import { ownSentences } from './own.ts'

const { values } = parseArgs({ options: { data: { type: 'string' } } })
if (values.data === undefined) {
  console.error('usage: node test/bench/verdicts/train.ts --data FOLDER')
  process.exit(2)
}
const answers = [...readLabelled(values.data), ...ownSentences()].filter(({ set }) => !HELD_OUT.has(set))
const weights = fit(prepare(answers), () => true)
const file = join(import.meta.dirname, '../../../shared/refusals/rules/refusal-weights.gen.ts')
const text = JSON.stringify(weights)
  .replaceAll(',"', ',\n"')
  .replaceAll(/[\\`$]/g, '\\$&')
writeFileSync(
  file,
  `// Made by test/bench/verdicts/train.ts.

/** A text, and by a function, so that a start does not read it: bundles have it as a file beside them. */
export const weightsText = () => \`${text}\`
`,
)
console.log(`${Object.keys(weights.ngrams).length} n-grams of ${answers.length} answers in ${file}`)
