// What is promised of the log holds: the page lists the events that exist, and a test makes each of them happen. Types
// check that no other event is logged.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LOG_EVENTS } from '../../shared/upkeep/rules/log-events.ts'
import { eventTable } from '../../shared/upkeep/rules/log-table.ts'
import { readProofs } from './coverage.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const proofs = Map.groupBy(readProofs(), proof => proof.rule)

it('the page on logs has the table that the code makes', () => {
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
