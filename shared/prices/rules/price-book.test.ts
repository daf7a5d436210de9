import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import {
  countedAt,
  isListed,
  isPriced,
  LIST_PRICES,
  type OwnPrices,
  PriceBook,
  pricesAt,
} from './price-book.ts'

const price = (model: string, effective_ms: number, input_per_mtok: number) => ({
  model,
  effective_ms,
  input_per_mtok,
  output_per_mtok: 1,
})

it('a model has its latest price that is in effect', () => {
  const prices = [price('m', 200, 2), price('m', 100, 1), price('n', 300, 3)]
  const at = (ms: number) => pricesAt(prices, ms).priceOf('m', ms)
  expect(at(99)).toBeUndefined()
  expect(at(100)).toEqual({ input_per_mtok: 1, output_per_mtok: 1 })
  expect(at(250)?.input_per_mtok).toBe(2)
  expect(pricesAt(prices, 250).priceOf('n', 250)).toBeUndefined()
})

it('a model has its own price from its date on, or the price of the list', () => {
  expect(isPriced('m', [price('m', 100, 1)], 99)).toBe(false)
  expect(isPriced('m', [price('m', 100, 1)], 100)).toBe(true)
  expect(isPriced('gpt-4o', null, 0)).toBe(true)
})

it('a thousand prices, half of them of an owner, are looked through once for a claim', () => {
  let looked = 0
  const counted = (model: string, by_owner: boolean) => ({
    ...price('', 0, 1),
    by_owner,
    get model() {
      looked++
      return model
    },
  })
  const prices = Array.from({ length: 500 }, (_, n) => [
    counted(`own-${n}`, true),
    counted(`key-${n}`, false),
  ]).flat()
  expect(pricesAt(prices, 1).priceOf('key-499', 1)).toBeDefined()
  expect(looked).toBeLessThan(10 * prices.length)
})

it('projects without prices of their own share one price book', () => {
  expect(pricesAt(null, 1)).toBe(LIST_PRICES)
  expect(pricesAt([], 1)).toBe(LIST_PRICES)
})

it('the model of the local examples has a price', () => {
  expect(LIST_PRICES.priceOf('assay-demo-small', 0)).toEqual({ input_per_mtok: 0.15, output_per_mtok: 0.6 })
})

it('the price book still finds models after an agent has named more unknown ones than it keeps', () => {
  const book = new PriceBook()
  for (let n = 0; n <= LIMITS.prices_found; n++) expect(book.priceOf(`made-up-${n}`, 0)).toBeUndefined()
  expect(book.priceOf('gpt-4o', 0)).toBeDefined()
})

describe('a project’s own price', () => {
  const own = { input_per_mtok: 1, output_per_mtok: 2 }
  const find = (name: string, prices: OwnPrices) => new PriceBook(prices).priceOf(name, 0)

  it('takes precedence over the list, for dated and prefixed names as well', () => {
    for (const name of ['gpt-4o', 'gpt-4o-2024-08-06', 'openai/gpt-4o'])
      expect(find(name, { 'gpt-4o': own })).toBe(own)
    expect(find('gpt-4o-mini', { 'gpt-4o': own })).toMatchObject({ input_per_mtok: 0.15 })
  })

  it('takes precedence whatever host the answer names', () => {
    const book = new PriceBook({ 'openai/gpt-oss-120b': own })
    expect(book.priceOf('openai/gpt-oss-120b', 0, 'groq')).toBe(own)
  })

  it('may be for a model that the list does not have, with its prefix', () => {
    expect(find('someone/model', { 'someone/model': own })).toBe(own)
    expect(find('someone/model-2026-01-01', { 'someone/model': own })).toBe(own)
    expect(find('other/model', { 'someone/model': own })).toBeUndefined()
  })
})

it.each([
  ['us.anthropic.claude-opus-4', true],
  ['global.anthropic.claude-sonnet-4', true],
  ['gpt-5-mini', true],
  ['GPT-5-mini', true],
  ['chatgpt-4o', true],
  ['Meta-Llama-3.1-405B-Instruct', true],
  ['my-llama-70b', false],
  ['acme-classifier', false],
])('whether a list knows a model that a price of %s would count for: %s', (name, known) => {
  expect(isListed(name)).toBe(known)
})

it('of a thousand prices of keys those count that no owner set, however many owners set', () => {
  const many = (name: string, more: object) =>
    Array.from({ length: 500 }, (_, n) => ({ ...price(`${name}-${n}`, 1, n), ...more }))
  const prices = [...many('openai/a', {}), ...many('b', {}), ...many('a', { by_owner: true })]
  let looked = 0
  const counted = prices.map(
    one =>
      new Proxy(one, {
        get(target, field) {
          looked++
          return Reflect.get(target, field)
        },
      }),
  )
  expect(countedAt(counted, 2).map(({ model }) => model)).toEqual([
    ...many('b', {}).map(({ model }) => model),
    ...many('a', {}).map(({ model }) => model),
  ])
  expect(looked).toBeLessThan(100 * prices.length) // not each beside each other
})
