// A key, or a member who is no owner, would price a model that an owner has priced, so that its calls count for less.
// Guarantee: an owner's price wins under all names of its model, whoever set theirs first, and is theirs to remove.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DatedPrice, pricesAt } from '../../shared/prices/rules/price-book.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { openWorld, type World } from '../conformance/world.ts'

let world: World
let owner: string
let path: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  path = `/v1/projects/${world.first.project_id}/prices`
  const { email, password } = world.first.account
  const { json } = await world.call('POST', '/v1/sessions', { body: { email, password }, token: null })
  owner = json.access_token
})
afterAll(() => world.end())

/** Without a token it is the project's key. */
async function priced(model: string, usd: number, token?: string, effective_from?: string) {
  const body = { model, input_per_mtok: usd, output_per_mtok: usd, ...(effective_from && { effective_from }) }
  return world.call('POST', path, { body, ...(token && { token }) })
}
const remove = (id: string, token?: string) =>
  world.call('DELETE', `${path}/${id}`, { ...(token && { token }) })

const NAMES = [
  'house-1',
  'House-1',
  'openai/house-1',
  'OpenAI/HOUSE-1',
  'house-1-2026-01-01',
  'anthropic.house-1-20260101',
]
const MADE_UP = ['nobody/house-1', 'a/b/House-1-latest']

it('a key neither replaces nor removes the price of an owner, under any of its names or from any moment on', async () => {
  const { json: price } = await priced('house-1', 10, owner)
  expect(price.by_owner).toBe(true)
  for (const model of [...NAMES, ...MADE_UP])
    for (const from of [undefined, price.effective_from, '2030-01-01T00:00:00Z']) {
      const { status, json } = await priced(model, 0, undefined, from)
      expect([model, status, json.error?.code]).toEqual([model, 403, 'forbidden'])
      expect(json.error.hint).toContain('assay login')
    }
  expect((await remove(price.id)).status).toBe(403)
  expect((await priced('house-10', 1)).status).toBe(201)
  expect((await remove(price.id, owner)).status).toBe(200)
  expect((await priced('house-1', 1)).status).toBe(201)
})

it('an owner takes over the price of a key, which is theirs to remove until then', async () => {
  const from = '2026-01-01T00:00:00Z'
  const { json: theirs } = await priced('house-2', 0, undefined, from)
  expect(theirs.by_owner).toBe(false)
  const { json: taken } = await priced('house-2', 10, owner, from)
  expect(taken).toMatchObject({ id: theirs.id, by_owner: true })
  expect((await remove(theirs.id)).status).toBe(403)
  const { json: own } = await priced('house-3', 1)
  expect((await remove(own.id)).status).toBe(200)
})

it('a key prices no listed model by another spelling or a maker that is made up', async () => {
  for (const model of [
    'gpt-5',
    'GPT-5',
    'OpenAI/gpt-5',
    'Openai/GPT-5-2026-08-07',
    'nobody/gpt-5',
    'a/b/Claude-Sonnet-4-5',
  ])
    expect([model, (await priced(model, 0)).status]).toEqual([model, 403])
  expect((await priced('nobody/llama-of-ours', 1)).status).toBe(201)
})

it('two spellings of one model are one price', async () => {
  const from = '2026-02-01T00:00:00Z'
  const { json: first } = await priced('House-9', 1, undefined, from)
  const { json: second } = await priced('house-9', 2, undefined, from)
  expect(second).toMatchObject({ id: first.id, model: 'House-9', input_per_mtok: 2 })
  const prices = [price('House-9', 1, 0), price('house-9', 2, 1000)]
  const at = (ms: number) => pricesAt(prices, ms).priceOf('HOUSE-9', ms)?.input_per_mtok
  expect([at(500), at(1500)]).toEqual([1, 2])
})

const price = (model: string, usd: number, effective_ms: number, by_owner = false): DatedPrice => ({
  model,
  input_per_mtok: usd,
  output_per_mtok: usd,
  effective_ms,
  ...(by_owner && { by_owner }),
})

it.each(NAMES)(
  'a price of a key that was there before, of %s, counts only until the owner’s starts',
  name => {
    const prices = [price(name, 0, 0), price(name, 0, 2000), price('house-1', 10, 1000, true)]
    const at = (ms: number) => pricesAt(prices, ms).priceOf(name, ms)?.input_per_mtok
    expect([at(500), at(1500), at(2500)]).toEqual([0, 10, 10])
  },
)
