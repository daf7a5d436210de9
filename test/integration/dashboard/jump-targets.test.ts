// What the jump and the search find by a number within an item's own id, and what that costs, over HTTP and real stores.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { findItemsById, findTargets } from '../../../functions/dashboard/parts/jump-targets.ts'
import { createClient } from '../../../shared/sdk/client.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const { id } = await makeAgent(world)
  for (const letter of 'abcdefghijklmnopqrst') {
    const items = [1, 2, 3, 1044].map(n => ({ item_id: `${letter}/${n}`, input: n }))
    await makeRun(world, id, items, { name: `export 1044${letter}` })
  }
})
afterAll(() => world.end())

/** A client that counts its calls; behind a proxy that refuses those whose path fits. */
function counted(refused?: RegExp) {
  const calls: string[] = []
  const through = async (input: RequestInfo | URL) => {
    const request = input as Request
    calls.push(request.url)
    return refused?.test(request.url)
      ? Response.json({ error: { code: 'rate_limited', message: 'Too many requests.' } }, { status: 429 })
      : fetch(request)
  }
  return { calls, api: createClient({ baseUrl: world.url, apiKey: world.first.api_key, fetch: through }) }
}

it('a number costs few calls, and is found in the newest runs', async () => {
  const { calls, api } = counted()
  const { items } = await findItemsById(api, world.first.project_id, '1044')
  expect(items.map(one => one.item_id)).toEqual(['t/1044', 's/1044', 'r/1044'])
  expect(calls.length).toBeLessThanOrEqual(13)
})

it('names are found beside ids', async () => {
  const { api } = counted()
  const { targets, is_exact } = await findTargets(api, world.first.project_id, '1044')
  expect([...new Set(targets.map(one => one.kind))]).toEqual(['Item', 'Run'])
  expect(is_exact).toBe(false)
  const own = await findTargets(api, world.first.project_id, 'a/1044')
  expect([own.is_exact, own.targets[0]?.kind]).toEqual([true, 'Item'])
})

it.each([/item_id=/, /\/items\?/])(
  'a refused look-up of items fails nothing, and is not hidden: %s',
  async refused => {
    const { api } = counted(refused)
    const { targets, is_whole } = await findTargets(api, world.first.project_id, '1044')
    expect(is_whole).toBe(false)
    expect(targets.map(one => one.kind)).toContain('Run')
  },
)
