import { expect, it } from 'vitest'
import { withoutEscapes, wordQuery, wordsOf } from './words.ts'

it('words of any script are found once each, whatever their case', () => {
  expect([...wordsOf('Überweisung an über-weisung, search_orders_3: 東京 हिन्दी?')]).toEqual([
    'überweisung',
    'an',
    'über',
    'weisung',
    'search',
    'orders',
    '3',
    '東京',
    'हिन्दी',
  ])
  expect([...wordsOf(' -- ')]).toEqual([])
})

it('words that are too long are cut, both in the index and in queries', () => {
  const word = 'é'.repeat(3000)
  expect([...wordsOf(word)]).toEqual(['é'.repeat(128)])
  expect(wordQuery(word)).toBe(`'${'é'.repeat(128)}':*`)
  expect([...wordsOf('𝐀'.repeat(3000))][0]!.isWellFormed()).toBe(true)
})

it('the letters of an escape are not part of a word', () => {
  expect([...wordsOf(withoutEscapes('"one\\ntwo\\u0009three\\\\four \\"five\\""'))]).toEqual([
    'one',
    'two',
    'three',
    'four',
    'five',
  ])
})

it('a query requires every word, and from three letters on the last one may be a prefix', () => {
  expect(wordQuery('Warehouse 503')).toBe(`'warehouse' & '503':*`)
  expect(wordQuery('foo bar foo')).toBe(`'foo':* & 'bar'`)
  expect(wordQuery('the wa')).toBe(`'the' & 'wa'`)
  expect(wordQuery("it's; !(drop)")).toBe(`'it' & 's' & 'drop'`)
  expect(wordQuery('%')).toBeNull()
})
