// Every answer that tells what happens as it happens: what stands between is told to pass it on at once, and hears that
// it lives.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import type { Context } from '../../shared/context.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { eventStream } from '../../shared/http/events.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { openWorld, type World } from '../conformance/world.ts'

let world: World
let runId: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const agent = await makeAgent(world)
  runId = await makeRun(world, agent.id, [{ input: 1 }])
})
afterAll(() => world.end())

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

describe('an answer of events', () => {
  it.each(live)('of $path is buffered by no proxy [runs.events-unbuffered]', async ({ path }) => {
    const authorization = `Bearer ${world.first.api_key}`
    expect(await headersOf(path.replace('{runId}', runId), { authorization })).toMatchObject(UNBUFFERED)
  })

  it('is none either where a page follows it [runs.events-unbuffered]', async () => {
    const signedIn = await fetch(`${world.url}/dashboard/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(world.first.account),
    })
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
    expect(await headersOf(`/dashboard/runs/${runId}/events`, { cookie })).toMatchObject(UNBUFFERED)
  })

  it('says every 15 s that it lives while nothing changes', async () => {
    expect(LIMITS.event_heartbeat_ms).toBe(15_000)
    let now = 0
    let reads = 0
    const read = async () => {
      now = reads++ * 7500 // on the clock of the stream
      return { value: { status: 'running' }, ended: now > 30_000 }
    }
    const ctx = { now: () => now } as Context
    const text = await (await eventStream(ctx, new Request('http://assay.test'), read)).text()
    const told = text.split('\n').filter(line => /^(:|event)/.test(line))
    expect(told).toEqual(['event: progress', ': still there', ': still there', 'event: end'])
  })
})
