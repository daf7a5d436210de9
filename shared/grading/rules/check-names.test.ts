// Names of checks as people write them.

import { expect, it } from 'vitest'
import { ANSWER_CHECKS } from '../vocabulary.ts'
import { readChecks, writeChecks } from './check-names.ts'

it('are read as they are written, all of them, some and none', () => {
  for (const checks of [[], [...ANSWER_CHECKS], ANSWER_CHECKS.slice(2, 4)])
    expect(readChecks(writeChecks(checks))).toEqual({ checks })
})

it('may stand with space between', () => {
  expect(readChecks('cut_json, asks_back ')).toEqual({ checks: ['cut_json', 'asks_back'] })
})

it('that are none are told, with what was meant where it is near', () => {
  expect(readChecks('cut_json,repeat')).toEqual({ unknown: 'repeat', near: 'repeats' })
  expect(readChecks('wrong_language')).toEqual({ unknown: 'wrong_language', near: undefined })
  expect(readChecks('none,cut_json')).toMatchObject({ unknown: 'none' })
})
