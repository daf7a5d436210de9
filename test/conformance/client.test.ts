import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiFailure, type Client, createClient } from '../../shared/sdk/client.ts'
import { startNodeHost } from './hosts.ts'
import { openWorld, type World } from './world.ts'

describe('the client', () => {
  let world: World
  let client: Client
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    client = createClient({ baseUrl: `${world.url}/`, apiKey: world.first.api_key })
  })
  afterAll(() => world?.end())

  it('submits a stream of items and reads their records back', async () => {
    const { data: agent } = await client.POST('/v1/agents', { body: { name: 'streamed' } })
    async function* items() {
      for (let n = 0; n < 3000; n++) yield { input: { n, text: 'é'.repeat(100) }, item_id: `n${n}` }
    }
    const submitted = await client.submit({ agent_id: agent!.id, name: 'all of it' }, items())
    expect(submitted.total_items).toBe(3000)
    const { data: run } = await client.GET('/v2/runs/{runId}', {
      params: { path: { runId: submitted.run_id } },
    })
    expect(run).toMatchObject({ name: 'all of it', total_items: 3000, queued: 3000 })
    const seen = new Map<string, unknown>()
    for await (const record of client.records()) seen.set(record.item_id, record.input_snapshot)
    expect(seen.size).toBe(3000)
    expect(seen.get('n2999')).toEqual({ n: 2999, text: 'é'.repeat(100) })
  })

  it('throws the error of the server', async () => {
    const asked = client.GET('/v2/runs/{runId}', { params: { path: { runId: 'nothing' } } })
    const failure = await asked.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiFailure)
    expect(failure).toMatchObject({
      status: 404,
      code: 'not_found',
      message: expect.stringContaining('no such run'),
    })
    const stranger = createClient({ baseUrl: world.url, apiKey: 'pk_wrong' })
    await expect(stranger.records().next()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' })
  })
})
