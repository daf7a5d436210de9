// Brings public repositories' labelled answers into the plain form that `bench:verdicts` reads. Nothing is fetched:
// SOURCES holds checkouts, each in a folder named `owner+repository`; what is missing is left out and said.
//
//   node test/bench/verdicts/convert.ts SOURCES DATA

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PHRASES } from '../../../shared/refusals/rules/refusal-phrases.ts'
import { CUSTOMERS } from './customers.ts'
import type { LabelledAnswer } from './data.ts'
import { ANSWERS } from './sources.ts'

const [sources, data] = process.argv.slice(2)
if (sources === undefined || data === undefined) {
  console.error('usage: node test/bench/verdicts/convert.ts SOURCES DATA')
  process.exit(2)
}

/** The same answer twice teaches nothing, and would stand on both sides of a split. */
function unique(answers: Iterable<LabelledAnswer>): LabelledAnswer[] {
  const seen = new Map<string, LabelledAnswer>()
  for (const answer of answers) {
    const key = answer.text.trim().slice(0, 400)
    if (key !== '' && !seen.has(`${answer.family} ${answer.label} ${key}`))
      seen.set(`${answer.family} ${answer.label} ${key}`, answer)
  }
  return [...seen.values()]
}

/** In other languages (Thai and Yoruba are among the sources) the detector claims nothing. */
const isRead = ({ lang = 'en' }: LabelledAnswer) => lang in PHRASES

mkdirSync(data, { recursive: true })
for (const [repository, read] of Object.entries({ ...ANSWERS, ...CUSTOMERS })) {
  const folder = join(sources, repository)
  if (!existsSync(folder)) {
    console.log(`${repository}: not in ${sources}`)
    continue
  }
  // XSTest is kept whole, as its figures are given over all answers.
  const all = [...read(folder)]
  const answers = repository.startsWith('paul-rottger') ? all : unique(all)
  const kept = answers.filter(isRead).map(one => JSON.stringify({ ...one, text: one.text.slice(0, 6000) }))
  writeFileSync(join(data, `${repository}.jsonl`), `${kept.join('\n')}\n`)
  console.log(`${repository}: ${kept.length}`)
}
