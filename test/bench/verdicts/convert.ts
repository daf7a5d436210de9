// Converts labelled answers of public repositories into the plain form that `bench:verdicts` reads. It fetches nothing:
// SOURCES holds checkouts, each in a folder named `owner+repository`. It reports the missing ones and leaves them out.
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

/** Drops repeated answers: they teach nothing, and could be on both sides of a split. */
function unique(answers: Iterable<LabelledAnswer>): LabelledAnswer[] {
  const seen = new Map<string, LabelledAnswer>()
  for (const answer of answers) {
    const key = answer.text.trim().slice(0, 400)
    if (key !== '' && !seen.has(`${answer.family} ${answer.label} ${key}`))
      seen.set(`${answer.family} ${answer.label} ${key}`, answer)
  }
  return [...seen.values()]
}

/** The detector makes no claim about other languages; the sources have Thai and Yoruba, for example. */
const isRead = ({ lang = 'en' }: LabelledAnswer) => lang in PHRASES

mkdirSync(data, { recursive: true })
for (const [repository, read] of Object.entries({ ...ANSWERS, ...CUSTOMERS })) {
  const folder = join(sources, repository)
  if (!existsSync(folder)) {
    console.log(`${repository}: not in ${sources}`)
    continue
  }
  // XSTest is kept whole, because its figures are published over all answers.
  const all = [...read(folder)]
  const answers = repository.startsWith('paul-rottger') ? all : unique(all)
  const kept = answers.filter(isRead).map(one => JSON.stringify({ ...one, text: one.text.slice(0, 6000) }))
  writeFileSync(join(data, `${repository}.jsonl`), `${kept.join('\n')}\n`)
  console.log(`${repository}: ${kept.length}`)
}
