// What is promised of the log is kept: the page tells of the events that there are, and a test makes each happen.
// That no other is logged is a matter of types.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventTable, LOG_EVENTS } from '../../shared/upkeep/rules/log-events.ts'
import { readProofs } from './coverage.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const proofs = Map.groupBy(readProofs(), proof => proof.rule)

it('the page on logs has the table of the code', () => {
  expect(textOf('infra/logs.md')).toContain(eventTable())
})

it('every event has a test that makes it happen, and looks for it by name', () => {
  const unproven = Object.keys(LOG_EVENTS).filter(event => {
    const files = (proofs.get(`log.${event}`) ?? []).map(({ file }) => textOf(file))
    const word = new RegExp(`(?<!log\\.)\\b${event}\\b`)
    return !files.some(text => word.test(text))
  })
  expect(unproven).toEqual([])
})
