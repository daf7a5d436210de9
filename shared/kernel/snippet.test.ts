import { expect, it } from 'vitest'
import { hitOf, snippetOf } from './snippet.ts'

it('a snippet marks the hit, whatever its case', () => {
  const found = snippetOf([['error_message', 'search_orders answered: Timeout after 30 s']], 'timeout')
  expect(found).toEqual({ field: 'error_message', text: 'search_orders answered: «Timeout» after 30 s' })
})

it('a snippet prefers the whole query to one word, and the first field that has it', () => {
  const fields = [
    ['name', 'orders'],
    ['input', 'where are the late orders'],
  ] as const
  expect(snippetOf(fields, 'late orders')).toEqual({ field: 'input', text: 'where are the «late orders»' })
  expect(snippetOf(fields, 'orders, please')).toEqual({ field: 'name', text: '«orders»' })
})

it('a snippet of a long text is cut on both sides, on one line and not within a character', () => {
  const { text } = snippetOf([['input', `${'😀\n'.repeat(100)}needle${'é'.repeat(500)}`]], 'needle')!
  expect(text).toMatch(/^….*«needle»é+…$/)
  expect(text.length).toBeLessThan(170)
  expect(text.isWellFormed()).toBe(true)
})

it('a snippet has the hit in the middle, or more text on the other side near an end', () => {
  const words = Array.from({ length: 100 }, (_, i) => `word${i}`)
  const at = (place: number) =>
    snippetOf([['input', words.with(place, 'needle').join(' ')]], 'Needle')!.text.split(/[«»]/)
  const [before, hit, after] = at(50)
  expect([hit, before!.startsWith('…word'), after!.endsWith('…')]).toEqual(['needle', true, true])
  expect(Math.abs(before!.length - after!.length)).toBeLessThan(10)
  expect(after).toMatch(/^( word\d\d)+…$/)
  expect(at(1)[0]).toBe('word0 ')
  expect(at(1)[2]!.length).toBeGreaterThan(130)
  expect(at(98)[2]).toBe(' word99')
  expect(at(98)[0]!.length).toBeGreaterThan(130)
})

it('a snippet prefers the beginning of a word, as the search does, to its middle', () => {
  const found = (text: string, query: string) => snippetOf([['input', text]], query)!.text
  expect(found('a cart of art', 'art')).toBe('a cart of «art»')
  expect(found('search_orders_3', 'rch_ord')).toBe('sea«rch_ord»ers_3')
  expect(found('a \\ and b-c/d', '\\ and b-c/d')).toBe('a «\\ and b-c/d»')
  expect(found('costs $5 (or [more])', '$5 (or')).toBe('costs «$5 (or» [more])')
})

it('there is no snippet if no word matches', () => {
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

it('the hit is found again in a snippet, even if its text contains the same marks', () => {
  expect(hitOf('he said «no» and then «Timeout» again', 'timeout')).toEqual([
    'he said «no» and then ',
    'Timeout',
    ' again',
  ])
  expect(hitOf('nothing marked', 'x')).toEqual(['nothing marked', '', ''])
})
