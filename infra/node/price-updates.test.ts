import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { usePrices } from '../../shared/prices/rules/price-book.ts'
import { pricesAsOf, pricesSource } from '../../shared/prices/rules/price-day.ts'
import { PRICES_AS_OF, PRICES_SOURCE, pricesText } from '../../shared/prices/rules/price-list.gen.ts'
import { eventually } from '../../test/support/eventually.ts'
import { keepPrices, updatePrices } from './price-updates.ts'

let answer: { status: number; body: string }
const server = createServer((_, response) => response.writeHead(answer.status).end(answer.body))
let url: string
beforeAll(async () => {
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/data.json`
})
afterAll(() => {
  server.close()
  usePrices(JSON.parse(pricesText()), PRICES_AS_OF, PRICES_SOURCE)
})

it('a fetched price list is dated with the day it was fetched', async () => {
  answer = { status: 200, body: pricesText() }
  expect(await updatePrices(url, Date.parse('2027-03-01T23:00:00Z'))).toBeGreaterThan(1000)
  expect([pricesAsOf(), pricesSource()]).toEqual(['2027-03-01', url])
})

it.each([
  ['an answer of 500', { status: 500, body: '' }],
  ['an HTML page', { status: 200, body: '<html>' }],
  ['an answer that is too long', { status: 200, body: ' '.repeat(LIMITS.prices_bytes + 1) }],
])('%s does not change the prices', async (_, given) => {
  answer = given
  const before = pricesAsOf()
  await expect(updatePrices(url)).rejects.toThrow()
  expect(pricesAsOf()).toBe(before)
})

it.each([
  ['fetched', { status: 200, body: pricesText() }, 'prices_updated', { models: expect.any(Number) }],
  ['not available', { status: 500, body: '' }, 'prices_not_updated', { error: 'Error: the answer is 500' }],
] as const)(
  'the log reports that a list was %s [log.prices_updated, log.prices_not_updated]',
  async (_, given, event, says) => {
    answer = given
    const log = vi.fn()
    const stop = keepPrices(`${url}?token=of-the-operator`, log)
    const shown = `${url}?token=…`
    await eventually(() =>
      expect(log).toHaveBeenCalledWith(expect.any(String), event, { url: shown, ...says }),
    )
    stop()
    if (given.status === 200) expect(pricesSource()).toBe(shown)
  },
)
