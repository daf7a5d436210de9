// The words that were given up for the field's own, so that they do not come back.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What was said, and what is said now. */
const GIVEN_UP: Record<string, string> = {
  pile: 'batch',
  PileSize: 'BatchSize',
  blame: 'fault',
  piles: 'batches',
  poke: 'notify',
  pokes: 'notifies',
  poked: 'notified',
  rouse: 'wake',
  bookCall: 'reserveCall',
  stayAwake: 'markPresent',
  Flight: 'InFlightItem',
  takeOff: 'beginItem',
  Settler: 'ResultWriter',
  settler: 'writer',
  halving: 'bisect',
  blemish: 'not ok',
  workShift: 'invokeConsumer',
  Lane: 'ReadConnection',
  poker: 'notifier',
  pokers: 'notifiers',
}

/** History, the list above, and files made from others. */
const LEFT =
  /^(CHANGELOG\.md|test\/structure\/words\.test\.ts|drizzle\/|infra\/generated\/|package-lock\.json)|\.gen\.ts$/

it('says each thing by its one word', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.md', '*.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(file => file !== '' && !LEFT.test(file))
  const found = files.flatMap(file => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return Object.entries(GIVEN_UP)
      .filter(([word]) =>
        new RegExp(`(?<![\\w$/-])${word}(?![\\w$])`, /[A-Z]/.test(word) ? '' : 'i').test(text),
      )
      .map(([word, now]) => `${file} says "${word}", which is "${now}"`)
  })
  expect(found).toEqual([])
})
