import { afterAll, expect, it } from 'vitest'
import { readFetchedPrices } from './fetched-prices.ts'
import { LIST_PRICES, usePrices } from './price-book.ts'
import { pricesAsOf, pricesSource } from './price-day.ts'
import { PRICES_AS_OF, PRICES_SOURCE, pricesText } from './price-list.gen.ts'

afterAll(() => usePrices(JSON.parse(pricesText()), PRICES_AS_OF, PRICES_SOURCE))

const models = Array.from({ length: 20 }, (_, at) => ({
  id: `m${at}`,
  name: 'what nobody asks for',
  match: { or: [{ equals: `m${at}` }, { starts_with: `m${at}-` }] },
  prices: { input_mtok: 1, output_mtok: { base: 2, tiers: [{ start: 10, price: 4 }] }, pages: 3 },
}))
const providers = Array.from({ length: 12 }, (_, at) => ({ id: `p${at}`, model_match: null, models }))
const textOf = (change: object) => JSON.stringify([{ ...providers[0], ...change }, ...providers.slice(1)])
const model = (change: object) => textOf({ models: [{ ...models[0], ...change }, ...models.slice(1)] })

it('a fetched list replaces the built-in one, in price books that are open too', () => {
  expect(LIST_PRICES.priceOf('gpt-4o', 0)?.input_per_mtok).toBe(2.5)
  const changed = {
    id: 'openai',
    model_match: { starts_with: 'gpt-' },
    models: [{ ...models[0], match: { equals: 'gpt-4o' } }],
  }
  usePrices(readFetchedPrices(JSON.stringify([changed, ...providers])), '2027-01-01', 'http://prices')
  expect(LIST_PRICES.priceOf('gpt-4o', 0)?.input_per_mtok).toBe(1)
  expect([pricesAsOf(), pricesSource()]).toEqual(['2027-01-01', 'http://prices'])
})

it('a fetched list is reduced to what is used', () => {
  const [first] = readFetchedPrices(textOf({}))
  expect(first?.models[0]).toEqual({
    id: 'm0',
    match: models[0]?.match,
    prices: { input_mtok: 1, output_mtok: models[0]?.prices.output_mtok },
  })
})

it.each([
  ['a page that is not JSON', '<html>'],
  ['JSON that is not a list', '{}'],
  ['an empty list', '[]'],
  ['a list with only a few providers', JSON.stringify(providers.slice(0, 3))],
  ['a provider without models', textOf({ models: undefined })],
  ['a price below zero', model({ prices: { input_mtok: -1 } })],
  ['a price that is a text', model({ prices: { input_mtok: '1' } })],
  ['a tier without a price', model({ prices: { input_mtok: { base: 1, tiers: [{ start: 1 }] } } })],
  ['an unknown rule', model({ match: { sounds_like: 'm' } })],
  ['an unknown rule within a rule', model({ match: { or: [{ equals: 'm' }, {}] } })],
  ['an unknown condition', model({ prices: [{ constraint: { moon: 'full' }, prices: {} }] })],
])('as a fetched list, %s is refused', (_, text) => {
  expect(() => readFetchedPrices(text)).toThrow()
})
