import { expect, it } from 'vitest'
import { screen } from '../../test/support/cli-samples.ts'
import { type Column, table } from './table.ts'

const WORDS = 'llm_call_error: 500 The server had an error while processing your request'
const row = { id: '01a1fab9-81a7-7eca-a25c-32a500000001', zone: 'Europe/Berlin', why: WORDS }
const columns: Column<typeof row>[] = [
  { title: 'ID', value: one => one.id },
  { title: 'PARTITION', value: one => one.zone, least: 4, optional: 1 },
  { title: 'WHY', value: one => one.why, least: 32 },
]

it('an optional column is left out before a text is cut below its least width', () => {
  expect(table(columns, [row], screen(80))).toBe(
    `ID                                    WHY\n${row.id}  ${WORDS.slice(0, 41)}…`,
  )
})

it('a text that does not fit beside the others stands below them, whole and broken at its spaces', () => {
  expect(table(columns, [row], screen(60)).split('\n')).toEqual([
    'ID',
    '  WHY',
    row.id,
    '  llm_call_error: 500 The server had an error while',
    '  processing your request',
  ])
})

it('an optional column without a value is left out', () => {
  expect(table(columns, [{ ...row, zone: '' }], screen(160)).split('\n')[0]).toMatch(/^ID +WHY$/)
})

it('a column is not cut below its title', () => {
  expect(table(columns, [row], screen(120)).split('\n')[0]).toMatch(/^ID +PARTITION +WHY$/)
  expect(table(columns, [row], screen(81)).split('\n')).toEqual([
    'ID                                    PARTITION  WHY',
    expect.stringMatching(/ Europe\/B… {2}llm_call_error: .+…$/),
  ])
})
