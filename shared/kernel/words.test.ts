import { expect, it } from 'vitest'
import { withoutEscapes, wordQuery, wordsOf } from './words.ts'

it('takes words of any script, each once, whatever their case', () => {
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

it('cuts words too long to be kept, in what is indexed and in what is asked for alike', () => {
  const word = 'é'.repeat(3000)
  expect([...wordsOf(word)]).toEqual(['é'.repeat(128)])
  expect(wordQuery(word)).toBe(`'${'é'.repeat(128)}':*`)
  expect([...wordsOf('𝐀'.repeat(3000))][0]!.isWellFormed()).toBe(true)
})

it('reads no letter out of an escape', () => {
  expect([...wordsOf(withoutEscapes('"one\\ntwo\\u0009three\\\\four \\"five\\""'))]).toEqual([
    'one',
    'two',
    'three',
    'four',
    'five',
  ])
})

it('asks for every word; from three letters on the last may be the beginning of one', () => {
  expect(wordQuery('Warehouse 503')).toBe(`'warehouse' & '503':*`)
  expect(wordQuery('foo bar foo')).toBe(`'foo':* & 'bar'`)
  expect(wordQuery('the wa')).toBe(`'the' & 'wa'`)
  expect(wordQuery("it's; !(drop)")).toBe(`'it' & 's' & 'drop'`)
  expect(wordQuery('%')).toBeNull()
})
