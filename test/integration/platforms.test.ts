// What platforms call and ask, on real stores: the tick as each of them calls it, and the backlog as KEDA reads it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consumeQueue } from '../../functions/consume.ts'
import { tick } from '../../functions/tick.ts'
import { tickSource } from '../../infra/targets/knative-objects.ts'
import { BACKLOG_QUERY } from '../../infra/targets/knative-options.ts'
import { onFault } from '../../shared/domain/fault.ts'
import { consume } from '../../shared/engine/consume.ts'
import { answerPlatform, type PlatformFunction } from '../../shared/http/platform-function.ts'
import { result, type TestEngine, testEngine } from '../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

function call(fn: PlatformFunction, headers: Record<string, string>, body: string): Promise<Response> {
  const request = new Request('http://tick.assay.svc.cluster.local/', { method: 'POST', headers, body })
  const stop = new AbortController().signal
  return answerPlatform(engine.ctx, fn, request, { stop, onWake: () => () => {} })
}

// CloudEvents 1.0, HTTP binding, as a PingSource of Knative sends them.
const EVENT = {
  specversion: '1.0',
  id: 'c0a1b2',
  source: '/apis/v1/namespaces/assay/pingsources/tick',
  type: 'dev.knative.sources.ping',
  time: '2026-11-20T10:00:00Z',
}
const { data, contentType } = tickSource.spec!
const binary = Object.fromEntries(Object.entries(EVENT).map(([name, value]) => [`ce-${name}`, value]))
const structured = JSON.stringify({ ...EVENT, datacontenttype: contentType, data: JSON.parse(data!) })

const CALLS: [how: string, headers: Record<string, string>, body: string][] = [
  ['an event in headers', { ...binary, 'content-type': contentType! }, data!],
  ['an event in the body', { 'content-type': 'application/cloudevents+json; charset=utf-8' }, structured],
  ['a bare POST, as cron-connector sends it', {}, ''],
]

describe('the tick', () => {
  it.each(CALLS)('takes %s', async (_, headers, body) => {
    const response = await call(tick, headers, body)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ sweeps: expect.any(Number) })
    // A JSON answer without CloudEvents' headers is no event, so Knative has nothing to pass on.
    expect([...response.headers.keys()].filter(name => name.startsWith('ce-'))).toEqual([])
  })

  it('leaves its chores to the call that is at them in the same process', async () => {
    let others: Promise<Response[]> | undefined
    onFault(name => {
      if (name === 'reap.before_commit') others ??= Promise.all([1, 2].map(() => call(tick, {}, '')))
    })
    const first = await call(tick, {}, '')
    onFault(undefined)
    for (const other of await others!) expect(await other.json()).toEqual({ sweeps: 0, done: 0 })
    expect(await first.json()).not.toEqual({ sweeps: 0, done: 0 })
    expect(await (await call(tick, {}, '')).json()).not.toEqual({ sweeps: 0, done: 0 })
  })

  it('is all that an event can call: the consumer asks who it is', async () => {
    expect((await call(consumeQueue, binary, data!)).status).toBe(401)
  })
})

describe('the backlog that KEDA reads', () => {
  const backlog = async () => Number((await engine.sql.unsafe(BACKLOG_QUERY))[0]!.coalesce)

  it('is what has no verdict yet, and nothing when all is done', async () => {
    engine.play(function* (items) {
      for (const item of items) yield result(item)
    })
    expect(await backlog()).toBe(0)
    await engine.submit(3)
    expect(await backlog()).toBe(3)
    await consume(engine.ctx)
    expect(await backlog()).toBe(0)
  })
})
