// Calls from platforms, on real stores: the tick as each platform calls it, and the backlog as KEDA reads it.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { consumeQueue } from '../../../functions/consume.ts'
import { tick } from '../../../functions/tick.ts'
import { readExample } from '../../../infra/targets/installation.ts'
import { tickSource } from '../../../infra/targets/knative-objects.ts'
import { BACKLOG_QUERY } from '../../../infra/targets/knative-options.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import {
  answerPlatform,
  type PlatformFunction,
  platformBearer,
} from '../../../shared/http/platform-function.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { result, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())
afterEach(() => vi.restoreAllMocks())

async function call(
  fn: PlatformFunction,
  headers: Record<string, string>,
  body: string,
  ctx: Context = engine.ctx,
): Promise<Response> {
  const request = new Request('http://tick.assay.svc.cluster.local/', { method: 'POST', headers, body })
  const stop = new AbortController().signal
  return answerPlatform(ctx, fn, request, { stop, onWake: () => () => {} })
}
const bearer = async () => ({
  authorization: `Bearer ${await platformBearer(engine.ctx.config.master_key)}`,
})
/** A host whose tick is open to crons that prove nothing, at a time that the test sets. */
const openAt = (now: number): Context => ({
  ...engine.ctx,
  config: { ...engine.ctx.config, tick_open: true },
  now: () => now,
})

// CloudEvents 1.0, HTTP binding, as a PingSource of Knative sends them.
const EVENT = {
  specversion: '1.0',
  id: 'c0a1b2',
  source: '/apis/v1/namespaces/assay/pingsources/tick',
  type: 'dev.knative.sources.ping',
  time: '2026-11-20T10:00:00Z',
}
const { data, contentType } = tickSource(await readExample('knative')).spec!
const binary = Object.fromEntries(Object.entries(EVENT).map(([name, value]) => [`ce-${name}`, value]))
const structured = JSON.stringify({ ...EVENT, datacontenttype: contentType, data: JSON.parse(data!) })

const CALLS: [how: string, headers: Record<string, string>, body: string][] = [
  ['an event in headers', { ...binary, 'content-type': contentType! }, data!],
  ['an event in the body', { 'content-type': 'application/cloudevents+json; charset=utf-8' }, structured],
  ['a bare POST, as cron-connector sends it', {}, ''],
]

describe('the tick', () => {
  const later = LIMITS.tick_open_ms + 1
  beforeEach(() => engine.ctx.redis.del('assay:seldom:open:tick'))

  it.each(CALLS)('accepts %s where it is open to the cron, and answers nothing', async (_, headers, body) => {
    const ticked = vi.spyOn(tick, 'run')
    const response = await call(tick, headers, body, openAt(Date.now() + later * ++calls))
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(ticked).toHaveBeenCalledOnce()
    // Without CloudEvents headers the answer is no event, so Knative has nothing to pass on.
    expect([...response.headers.keys()].filter(name => name.startsWith('ce-'))).toEqual([])
  })
  let calls = 0

  it('answers 401 without the bearer of the platform, where it is not open to the cron', async () => {
    expect((await call(tick, {}, '')).status).toBe(401)
    expect((await call(tick, await bearer(), '')).status).toBe(200)
  })

  it('runs once for strangers who call repeatedly, on any host, and gives all of them the same answer', async () => {
    const ticked = vi.spyOn(tick, 'run')
    const now = Date.now() + later * ++calls
    const other = { ...openAt(now), sql: new Proxy(engine.ctx.sql, {}) } // a process recognises a host by its `sql`
    const answers = []
    for (const host of [openAt(now), openAt(now + 1), other]) answers.push(await call(tick, {}, '', host))
    expect(answers.map(answer => answer.status)).toEqual([204, 204, 204])
    expect(ticked).toHaveBeenCalledOnce()
    // A call with our own bearer runs all the same.
    expect((await call(tick, await bearer(), '', openAt(now + 2))).status).toBe(200)
    expect(ticked).toHaveBeenCalledTimes(2)
  })

  it('answers its own caller what it did, and a stranger 204 even if it failed', async () => {
    expect(await (await call(tick, await bearer(), '')).json()).toMatchObject({ sweeps: expect.any(Number) })
    vi.spyOn(tick, 'run').mockRejectedValue(new Error('relation "runs" is gone'))
    expect((await call(tick, await bearer(), '')).status).toBe(500)
    const answer = await call(tick, {}, '', openAt(Date.now() + later * ++calls))
    expect([answer.status, await answer.text()]).toEqual([204, ''])
  })

  it('leaves its chores to a call that already runs them in the same process', async () => {
    const ours = await bearer()
    let others: Promise<Response[]> | undefined
    onFault(name => {
      if (name === 'reap.before_commit') others ??= Promise.all([1, 2].map(() => call(tick, ours, '')))
    })
    const first = await call(tick, ours, '')
    onFault(undefined)
    for (const other of await others!) expect(await other.json()).toEqual({ sweeps: 0, done: 0 })
    expect(await first.json()).not.toEqual({ sweeps: 0, done: 0 })
    expect(await (await call(tick, ours, '')).json()).not.toEqual({ sweeps: 0, done: 0 })
  })

  it('is all that an event can call: the consumer answers it 401', async () => {
    expect((await call(consumeQueue, binary, data!)).status).toBe(401)
  })
})

it('the consumer logs how many items it claimed and settled, and nothing if there were none', async () => {
  engine.play(function* (items) {
    for (const item of items) yield result(item)
  })
  await engine.submit(2)
  engine.log.length = 0
  const consumed = () => engine.log.map(line => JSON.parse(line)).filter(({ event }) => event === 'consumed')
  await call(consumeQueue, await bearer(), '')
  expect(consumed()).toMatchObject([{ level: 'info', claimed: 2, settled: 2 }])
  await call(consumeQueue, await bearer(), '')
  expect(consumed()).toHaveLength(1)
})

describe('the backlog that KEDA reads', () => {
  const backlog = async () => Number((await engine.sql.unsafe(BACKLOG_QUERY))[0]!.coalesce)

  it('counts the items without a verdict, and is 0 when all are done', async () => {
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
