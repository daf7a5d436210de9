import { expect, it } from 'vitest'
import { snippetOf } from './snippet.ts'

it('marks the hit where it stands, whatever its case', () => {
  const found = snippetOf([['error_message', 'search_orders answered: Timeout after 30 s']], 'timeout')
  expect(found).toEqual({ field: 'error_message', text: 'search_orders answered: «Timeout» after 30 s' })
})

it('prefers the whole query to a word of it, and the first field that has it', () => {
  const fields = [
    ['name', 'orders'],
    ['input', 'where are the late orders'],
  ] as const
  expect(snippetOf(fields, 'late orders')).toEqual({ field: 'input', text: 'where are the «late orders»' })
  expect(snippetOf(fields, 'orders, please')).toEqual({ field: 'name', text: '«orders»' })
})

it('cuts what is long on both sides, on one line and not through a character', () => {
  const { text } = snippetOf([['input', `${'😀\n'.repeat(100)}needle${'é'.repeat(500)}`]], 'needle')!
  expect(text).toMatch(/^….*«needle»é+…$/)
  expect(text.length).toBeLessThan(170)
  expect(text.isWellFormed()).toBe(true)
})

it('is null where no word is met', () => {
  expect(
    snippetOf(
      [
        ['input', null],
        ['output', 'no'],
      ],
      'yes',
    ),
  ).toBeNull()
})
