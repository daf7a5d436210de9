import { expect, it } from 'vitest'
import { markedWords, withoutEscapes, wordQuery, wordsOf } from './words.ts'

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
  expect(wordQuery(word, 'messages')).toBe(`'${'é'.repeat(128)}':*`)
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
  expect(wordQuery('Warehouse 503', 'messages')).toBe(`'warehouse' & '503':*`)
  expect(wordQuery('foo bar foo', 'messages')).toBe(`'foo':* & 'bar'`)
  expect(wordQuery('the wa', 'messages')).toBe(`'the' & 'wa'`)
  expect(wordQuery("it's; !(drop)", 'messages')).toBe(`'it' & 's' & 'drop'`)
  expect(wordQuery('%', 'messages')).toBeNull()
})

it('words that an escape spells are words', () => {
  expect([
    ...wordsOf(withoutEscapes('"caf\\u00e9 \\u0645\\u0631\\u062d\\u0628\\u0627 \\ud835\\udc00 a\\/b"')),
  ]).toEqual(['café', 'مرحبا', '𝐀', 'a', 'b'])
})

it('words outside of messages are marked, and found in everything alone', () => {
  expect(markedWords('A refund', '{"text":"A refund","enum":["credit","refund"]}')).toEqual([
    'a',
    'refund',
    '~text',
    '~enum',
    '~credit',
  ])
  expect(wordQuery('a refund', 'everything')).toBe(`('a' | '~a') & ('refund':* | '~refund':*)`)
})
