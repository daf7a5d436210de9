// Answers that report events as they happen: they ask proxies to pass events on at once, and send heartbeats.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import type { Context } from '../../../shared/context.ts'
import { eventStream, type State } from '../../../shared/http/events.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
let runId: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const agent = await makeAgent(world)
  runId = await makeRun(world, agent.id, [{ input: 1 }])
})
afterAll(() => world.end())

const following = (account_id: string, thing: string, project_id = account_id, caller = thing) => ({
  account_id,
  project_id,
  caller,
  thing,
  mayStill: async () => true,
})

const live = endpoints.filter(({ answers }) => Object.values(answers).some(({ events }) => events))
const UNBUFFERED = { 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform' }

async function headersOf(path: string, headers: Record<string, string>): Promise<Record<string, string>> {
  const stop = new AbortController()
  const response = await fetch(`${world.url}${path}`, { headers, signal: stop.signal })
  expect([path, response.status, response.headers.get('content-type')]).toEqual([
    path,
    200,
    'text/event-stream',
  ])
  stop.abort()
  return Object.fromEntries(response.headers)
}

describe('an event stream', () => {
  it.each(live)('of $path asks proxies not to buffer it [runs.events-unbuffered]', async ({ path }) => {
    const authorization = `Bearer ${world.first.api_key}`
    expect(await headersOf(path.replace('{runId}', runId), { authorization })).toMatchObject(UNBUFFERED)
  })

  it('of a page asks proxies not to buffer it [runs.events-unbuffered]', async () => {
    const signedIn = await fetch(`${world.url}/dashboard/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(world.first.account),
    })
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
    expect(await headersOf(`/dashboard/runs/${runId}/events`, { cookie })).toMatchObject(UNBUFFERED)
  })

  it('sends a heartbeat every 15 s while nothing changes', async () => {
    expect(LIMITS.event_heartbeat_ms).toBe(15_000)
    let now = 0
    let reads = 0
    const read = async () => {
      now = reads++ * 7500 // on the clock of the stream
      return { value: { status: 'running' }, ended: now > 30_000 }
    }
    const ctx = { now: () => now } as Context
    const request = new Request('http://assay.test')
    const text = await (await eventStream(ctx, request, following('a', 'r'), read)).text()
    const lines = text.split('\n').filter(line => /^(:|event)/.test(line))
    expect(lines).toEqual(['event: progress', ': still there', ': still there', 'event: end'])
  })
})

describe('a stream ends within a bounded time', () => {
  /** Follows the run until the stream ends, and returns how many ms that took after `end`. */
  async function followed(token: string, end: () => Promise<unknown>) {
    const response = await fetch(`${world.url}/v2/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    await reader.read()
    const ended = (async () => {
      while (!(await reader.read()).done);
    })()
    await end()
    const began = performance.now()
    await ended
    return performance.now() - began
  }
  const MOST_MS = LIMITS.auth_cache_ms + LIMITS.event_caller_ms + 3 * LIMITS.event_poll_ms

  it('after another process revoked its key [runs.events-revoked]', async () => {
    const { sql } = world.ctx
    const { key, row } = await mintKey(world.ctx, world.first.project_id, 'listens')
    const other = fetch(`${world.url}/v2/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${world.first.api_key}` },
    })
    const took = await followed(key, () => sql`update api_keys set revoked_at = now() where id = ${row.id}`)
    expect(took).toBeLessThan(MOST_MS + 1000)
    const still = (await other).body!.getReader()
    expect((await still.read()).done).toBe(false)
    await still.cancel()
  })

  it('after its session was ended elsewhere [runs.events-revoked]', async () => {
    const { sql } = world.ctx
    const { json } = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    const revoke = () =>
      sql`update sessions set revoked_at = now() where id = (select max(id::text)::uuid from sessions)`
    expect(await followed(json.access_token, revoke)).toBeLessThan(MOST_MS + 1000)
  })
})

describe('concurrent streams', () => {
  let now = 0
  const ctx = { now: () => now } as Context
  const request = new Request('http://assay.test')
  const openedAs = async (whose: ReturnType<typeof following>, read: () => Promise<State>) => {
    const reader = (await eventStream(ctx, request, whose, read)).body!.getReader()
    await reader.read() // when to reconnect
    return reader
  }
  /** Each of a project and a caller of its own, so that only the account's bound is met. */
  const opened = (account_id: string, thing: string, read: () => Promise<State>) =>
    openedAs(following(account_id, thing, `${account_id} ${n++}`, `${n}`), read)
  let n = 0
  const textOf = ({ value }: { value?: Uint8Array | undefined }) => new TextDecoder().decode(value)

  it('that follow the same thing share its reads, and none gets a state older than one it had', async () => {
    let changes = 0
    let reads = 0
    const read = async () => {
      reads++
      now += 1 // a read takes time
      return { value: { changes }, ended: false }
    }
    const streams = await Promise.all(Array.from({ length: 50 }, () => opened('a', 'one', read)))
    for (const stream of streams) expect(textOf(await stream.read())).toContain('"changes":0')
    for (changes = 1; changes <= 2; changes++) {
      now += LIMITS.event_poll_ms
      const before = reads
      for (const stream of streams) expect(textOf(await stream.read())).toContain(`"changes":${changes}`)
      expect(reads - before).toBeLessThan(5)
    }
    const before = reads
    now += LIMITS.event_poll_ms
    await Promise.all(streams.map(stream => stream.cancel()))
    expect(reads).toBe(before) // nothing is read for streams that were closed
  })

  it('of one account are limited, leave other accounts theirs, and make room when they are closed', async () => {
    const read = async () => ({ value: {}, ended: false })
    const most = LIMITS.event_streams_per_account
    const streams = await Promise.all(Array.from({ length: most }, (_, n) => opened('a', `${n}`, read)))
    await expect(opened('a', 'more', read)).rejects.toMatchObject({ code: 'rate_limited' })
    const other = await opened('b', 'own', read)
    await Promise.all([other, streams.pop()!].map(stream => stream.cancel()))
    await (await opened('a', 'more', read)).cancel()
    await Promise.all(streams.map(stream => stream.cancel()))
  })

  it.each([
    ['key', LIMITS.event_streams_per_caller, ['a', 'x', 'p', 'k'], ['a', 'x', 'p', 'other']],
    ['project', LIMITS.event_streams_per_project, ['a', 'x', 'p'], ['a', 'x', 'other', 'k']],
  ] as const)(
    'of one %s are %i at most, and do not limit others of its account',
    async (_, most, own, other) => {
      const read = async () => ({ value: {}, ended: false })
      const [account_id, thing, project_id, caller] = own
      const one = (n: number) => openedAs(following(account_id, thing, project_id, caller ?? `k${n}`), read)
      const streams = await Promise.all(Array.from({ length: most }, (_, n) => one(n)))
      await expect(one(most)).rejects.toMatchObject({ code: 'rate_limited' })
      streams.push(await openedAs(following(other[0], other[1], other[2], other[3]), read))
      await Promise.all(streams.map(stream => stream.cancel()))
      await (await one(0)).cancel()
    },
  )

  it('continue when the clock is set back', async () => {
    let changes = 0
    const read = async () => ({ value: { changes }, ended: false })
    const streams = await Promise.all(Array.from({ length: 5 }, () => opened('a', 'back', read)))
    for (const stream of streams) await stream.read()
    for (changes = 1; changes <= 2; changes++) {
      now -= 10_000
      for (const stream of streams) expect(textOf(await stream.read())).toContain(`"changes":${changes}`)
    }
    await Promise.all(streams.map(stream => stream.cancel()))
  })

  it('count no longer than they can last, even if nobody reports that their caller has left', async () => {
    const read = async () => ({ value: {}, ended: false })
    const gone = await Promise.all(
      Array.from({ length: LIMITS.event_streams_per_account }, (_, n) => opened('a', `${n}`, read)),
    )
    expect(LIMITS.event_place_ms).toBeGreaterThan(LIMITS.event_stream_ms + LIMITS.event_wait_s * 1000)
    now += LIMITS.event_place_ms - 1
    await expect(opened('a', 'more', read)).rejects.toMatchObject({ code: 'rate_limited' })
    now += 1
    const more = await opened('a', 'more', read)
    await Promise.all([more, ...gone].map(stream => stream.cancel()))
  })
})
