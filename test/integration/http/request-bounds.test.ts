// The cost of a request is bounded before it is read: bytes by the endpoint and the caller, and time in slices.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import type { Endpoint } from '../../../shared/http/operation.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { OPERATOR_KEY, startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'

const OWN = { 'sec-fetch-site': 'same-origin' }
let world: World
beforeAll(async () => {
  world = await openWorld(startNodeHost)
})
afterAll(() => world.end())

const padded = (body: object, bytes: number) => {
  const text = JSON.stringify(body)
  return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`
}
const post = async (path: string, body: object, bytes: number, token?: string | null) => {
  const given = { raw: padded(body, bytes), headers: { 'content-type': 'application/json' } }
  const { status, json } = await world.call('POST', path, token === undefined ? given : { ...given, token })
  return [status, json.error?.code]
}

describe('a body', () => {
  it('of an unknown caller is read up to 4 KiB', async () => {
    const { account } = world.first
    expect(await post('/v1/sessions', account, LIMITS.open_body_bytes, null)).toEqual([201, undefined])
    expect(await post('/v1/sessions', account, LIMITS.open_body_bytes + 1, null)).toEqual([
      400,
      'body_too_large',
    ])
  })

  it('is not read before its sender is authenticated', async () => {
    expect(await post('/v1/agents', {}, LIMITS.body_bytes * 10, null)).toEqual([401, 'unauthenticated'])
  })

  it('is read up to 64 KiB where the endpoint takes nothing large', async () => {
    const key = { name: 'padded' }
    const path = `/v1/projects/${world.first.project_id}/api-keys`
    const session = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    const { access_token } = session.json
    expect(await post(path, key, LIMITS.body_bytes, access_token)).toEqual([201, undefined])
    expect(await post(path, key, LIMITS.body_bytes + 1, access_token)).toEqual([400, 'body_too_large'])
  })

  it('of an agent is read up to 256 KiB', async () => {
    const agent = (name: string) => ({ name })
    expect(await post('/v1/agents', agent('whole'), LIMITS.configuration_bytes)).toEqual([201, undefined])
    expect(await post('/v1/agents', agent('more'), LIMITS.configuration_bytes + 1)).toEqual([
      400,
      'body_too_large',
    ])
  })
})

describe('a page is cut by its bytes, and its cursor leads to the rest', () => {
  const walk = async (path: string): Promise<{ ids: string[]; pages: number[] }> => {
    const [ids, pages]: [string[], number[]] = [[], []]
    let cursor = ''
    for (;;) {
      const { json, headers } = await world.call('GET', `${path}limit=200${cursor}`)
      ids.push(...json.map((row: { id: string }) => row.id))
      pages.push(json.length)
      const next = headers.get('x-next-cursor')
      if (next === null) return { ids, pages }
      cursor = `&cursor=${next}`
    }
  }

  it('for schedules, by the size of their inputs', async () => {
    const agent = await world.call('POST', '/v1/agents', { body: { name: 'of large inputs' } })
    const agent_id: string = agent.json.id
    const made: string[] = []
    for (let n = 0; n < 10; n++) {
      const input = 'é'.repeat(LIMITS.item_input_bytes / 2 - 1)
      const body = { agent_id, cron: `${n} 4 * * *`, input }
      made.unshift((await world.call('POST', '/v1/schedules', { body })).json.id)
    }
    expect(await walk(`/v1/schedules?agent_id=${agent_id}&`)).toEqual({ ids: made, pages: [8, 2] })
  })

  it('for deployments, by the size of their declarations, each of at most 256 KiB', async () => {
    const agent = await world.call('POST', '/v1/agents', {
      body: { name: 'of large schemas', slug: 'large' },
    })
    const path = `/v1/agents/${agent.json.id}/deployments`
    const deploy = (description: string) => {
      const declaration = { name: 'large', schedule_input: { description } }
      return world.call('POST', path, { body: { kind: 'url', url: 'http://127.0.0.1:9/', declaration } })
    }
    const made: string[] = []
    for (let n = 0; n < 35; n++) {
      const { status, json } = await deploy(`${n}`.padStart(LIMITS.configuration_bytes - 1000))
      expect(status).toBe(201)
      made.unshift(json.id)
    }
    const { ids, pages } = await walk(`${path}?`)
    expect(ids).toEqual(made)
    expect(pages).toEqual([33, 2])
    const larger = await deploy(' '.repeat(LIMITS.configuration_bytes))
    expect([larger.status, larger.json.error.code]).toEqual([400, 'invalid_request'])
    expect(larger.json.error.message).toContain(
      `"declaration": must be at most ${LIMITS.configuration_bytes} bytes`,
    )
  })
})

describe('a body one byte longer than its endpoint takes', () => {
  const taking = endpoints.filter(
    ({ method, raw_body }) => (method === 'post' || method === 'patch') && !raw_body,
  )
  const boundOf = ({ body_bytes, auth }: Endpoint) =>
    body_bytes ?? (auth === 'none' ? LIMITS.open_body_bytes : LIMITS.body_bytes)
  const sent = async (endpoint: Endpoint, token: string | null) => {
    const named = endpoint.path.replaceAll(/\{\w+\}/g, world.first.project_id)
    const path = endpoint.operation_id === 'answerItems' ? `${named}?to=nobody` : named
    const raw = new Uint8Array(boundOf(endpoint) + 1).fill(0x20)
    const headers = { 'content-type': 'application/json' }
    const { status, json } = await world.call(endpoint.method.toUpperCase(), path, { raw, headers, token })
    return [status, json.error?.code]
  }
  let session: string
  beforeAll(async () => {
    const opened = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    session = opened.json.access_token
  })

  it.each(taking.map(endpoint => [endpoint.operation_id, endpoint] as const))(
    'is refused: %s',
    async (_, endpoint) => {
      const tooLarge = [400, 'body_too_large']
      const { auth } = endpoint
      expect(await sent(endpoint, null)).toEqual(auth === 'none' ? tooLarge : [401, 'unauthenticated'])
      expect(await sent(endpoint, auth === 'operator' ? OPERATOR_KEY : session)).toEqual(tooLarge)
    },
  )
})

it('an endless body is refused, and its connection closed', async () => {
  const piece = new Uint8Array(2 ** 20).fill(0x20)
  let pieces = 0
  const raw = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(piece)
      if (++pieces === LIMITS.body_drain_bytes / 2 ** 20 + 10) controller.close()
    },
  })
  const type = { 'content-type': 'application/json' }
  const { status, json, headers } = await world.call('POST', '/v1/agents', { raw, headers: type })
  expect([status, json.error.code, headers.get('connection')]).toEqual([400, 'body_too_large', 'close'])
  expect((await world.call('GET', '/v1/agents')).status).toBe(200)
})

it('a query of more than 100 parameters is refused in a few words, and at most five unknown ones are named', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`).join('&')
  const many = await world.call('GET', `/health?${names(LIMITS.query_parameters + 1)}`)
  expect([many.status, many.json.error.message]).toEqual([400, 'The query has more than 100 parameters.'])
  const unknown = await world.call('GET', `/health?${names(7)}`)
  expect(unknown.json.error.message).toBe('Unknown query parameters "n0", "n1", "n2", "n3", "n4" and 2 more.')
})

describe('a form', () => {
  const send = (path: string, body: URLSearchParams, headers: Record<string, string> = {}) =>
    fetch(`${world.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...OWN, ...headers },
      body,
    })
  const named = (count: number) =>
    new URLSearchParams(Array.from({ length: count }, (_, n): [string, string] => [`n${n}`, '']))

  it('of 50,000 names from an unknown caller is refused as too large', async () => {
    const response = await send('/dashboard/sign-in', named(50_000))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`larger than ${LIMITS.open_body_bytes} bytes`)
  })

  it('of a member has at most 1,000 fields', async () => {
    const signedIn = await send('/dashboard/sign-in', new URLSearchParams(world.first.account))
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
    const referer = `${world.url}/dashboard/projects`
    const response = await send('/dashboard/projects', named(LIMITS.form_fields + 1), { cookie, referer })
    const notice = decodeURIComponent(response.headers.getSetCookie().join())
    expect([response.status, notice]).toEqual([303, expect.stringContaining('more than 1000 fields')])
  })
})

it('a HEAD request for a stream does not count as a stream', async () => {
  const agent = await makeAgent(world)
  const run = await makeRun(world, agent.id, [{ input: 1 }])
  const authorization = `Bearer ${world.first.api_key}`
  const follow = (method: string) =>
    fetch(`${world.url}/v2/runs/${run}/events`, { method, headers: { authorization } })
  for (let n = 0; n <= LIMITS.event_streams_per_account; n++) expect((await follow('HEAD')).status).toBe(200)
  const stream = await follow('GET')
  expect(stream.status).toBe(200)
  await stream.body!.cancel()
})

describe('a long list of items', () => {
  it('lets other requests through while it is read', async () => {
    // Five million items are more than a run takes, which is known only when all are read.
    const body = `{"agent":"nobody","items":[${new Array(5_000_000).fill(0).join()}]}`
    let isAnswered = false
    const answer = world
      .call('POST', '/v1/batches', { raw: body, headers: { 'content-type': 'application/json' } })
      .finally(() => (isAnswered = true))
    let others = 0
    while (!isAnswered) {
      expect((await fetch(`${world.url}/health`)).status).toBe(200)
      others++
    }
    expect((await answer).status).toBe(404)
    expect(others).toBeGreaterThanOrEqual(5)
  })
})
