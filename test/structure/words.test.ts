// The words that were replaced by the field's own must not come back.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { UNCLEAR } from '../support/unclear-phrases.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The old words, and those that replaced them. */
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

/** History, the list above, and generated files. */
const LEFT =
  /^(CHANGELOG\.md|test\/structure\/words\.test\.ts|drizzle\/|infra\/generated\/|package-lock\.json)|\.gen\.ts$/

/** Where these are listed, and tests that they are on no page. */
const LISTED = /^(test\/|shared\/decisions\/archive\.md)/

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.md', '*.mjs'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file !== '' && !LEFT.test(file))

it('no text has a phrase that people did not understand', () => {
  const found = files
    .filter(file => !LISTED.test(file))
    .flatMap(file => {
      const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\s+/g, ' ')
      return UNCLEAR.filter(phrase => phrase.test(text)).map(phrase => `${file} has ${phrase}`)
    })
  expect(found).toEqual([])
})

it('no file cuts texts by itself: shortened() of shared/kernel/text-head.ts does', () => {
  const own = files.filter(
    file =>
      /\.tsx?$/.test(file) &&
      !/^test\/|\.test\.ts$/.test(file) &&
      /\.slice\(0, [^)]*\)\}…`/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(own).toEqual([])
})

it('no file uses a word that was given up', () => {
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
