// Measures how well messages are grouped. Over sets of labelled messages (`*_structured.csv` with the columns Content and
// EventId, as loghub has them) it prints the share whose group is exactly the set of messages with their label.
//
//   npm run bench:causes -- --data FOLDER

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { CausesOfKind } from '../../shared/triage/rules/causes.ts'
import { maskedWords } from '../../shared/triage/rules/masking.ts'

interface Labelled {
  Content: string
  EventId: string
}

/** Finds the group of each message, one after the other as a consumer does. */
function groupsOf(messages: readonly string[]): string[] {
  const causes = new CausesOfKind()
  return messages.map(message => {
    const words = maskedWords(message, null)
    const known = causes.find(words)
    if (known !== undefined) return known.id
    const id = String(causes.size).padStart(6, '0')
    causes.add({ id, words, varies: new Set() })
    return id
  })
}

/** The share of messages whose group holds all messages with their label and no other. */
function groupAccuracy(labels: readonly string[], groups: readonly string[]): number {
  const placesOf = (of: readonly string[]) => Map.groupBy(of.keys(), place => of[place]!)
  const labelled = placesOf(labels)
  let right = 0
  for (const places of placesOf(groups).values()) {
    const label = labels[places[0]!]!
    if (places.length === labelled.get(label)!.length && places.every(place => labels[place] === label))
      right += places.length
  }
  return right / labels.length
}

const { values } = parseArgs({ options: { data: { type: 'string' } } })
if (values.data === undefined)
  throw new Error('the folder of the sets is missing: npm run bench:causes -- --data FOLDER')
const files = readdirSync(values.data, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('_structured.csv'))
  .sort()
if (files.length === 0) throw new Error(`no file of ${values.data} ends with _structured.csv`)

let sum = 0
let took = 0
let messages = 0
for (const file of files) {
  const rows = parse<Labelled>(readFileSync(join(values.data, file)), { columns: true, relax_quotes: true })
  const contents = rows.map(row => row.Content)
  const started = performance.now()
  const groups = groupsOf(contents)
  took += performance.now() - started
  messages += rows.length
  const labels = rows.map(row => row.EventId)
  const accuracy = groupAccuracy(labels, groups)
  sum += accuracy
  const counts = `${new Set(groups).size} groups, ${new Set(labels).size} labels`
  console.log(`${basename(file).split('_')[0]!.padEnd(12)} ${accuracy.toFixed(3)}  ${counts}`)
}
console.log(`\nmean of ${files.length} sets: ${(sum / files.length).toFixed(3)}`)
console.log(`${((took / messages) * 1000).toFixed(1)} µs a message`)
