// Names of checks as people write them.

import { expect, it } from 'vitest'
import { ANSWER_CHECKS } from '../vocabulary.ts'
import { readChecks, writeChecks } from './check-names.ts'

it('names of checks are read as they are written: all, some or none', () => {
  for (const checks of [[], [...ANSWER_CHECKS], ANSWER_CHECKS.slice(2, 4)])
    expect(readChecks(writeChecks(checks))).toEqual({ checks })
})

it('names of checks may have blanks around them', () => {
  expect(readChecks('cut_json, asks_back ')).toEqual({ checks: ['cut_json', 'asks_back'] })
})

it('an unknown name is reported, with a similar name if there is one', () => {
  expect(readChecks('cut_json,repeat')).toEqual({ unknown: 'repeat', near: 'repeats' })
  expect(readChecks('wrong_language')).toEqual({ unknown: 'wrong_language', near: undefined })
  expect(readChecks('none,cut_json')).toMatchObject({ unknown: 'none' })
})
