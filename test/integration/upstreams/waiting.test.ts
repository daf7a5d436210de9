// Items that wait for something outside: what stops them, what tries it, and how they go on. The agent reports in lines, as one
// in another language does; conservation is checked after each test.

import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { giveValues } from '../../../shared/agents/queries/deployments.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { AgentLine, ItemError, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import {
  advanceUpstreams,
  endForgottenWaits,
  endPatience,
  removeUnused,
} from '../../../shared/upstreams/queries/upstreams.ts'
import { conservation, result, step, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const HOST = 'api.provider.test'

const refused = (item: ItemLine, error: Partial<ItemError> = {}): AgentLine => ({
  type: 'error',
  seq: item.seq,
  attempt: item.attempt,
  error: {
    code: 'llm_call_error',
    message: 'the engine is overloaded',
    upstream: { host: HOST, fault: 'overloaded', closed: true },
    status: 503,
    ...error,
  },
})

/** Lets time pass for upstreams: whatever waits for a moment has come to it. */
const moments = async () => {
  await engine.sql`update upstreams set next_at = now() where next_at is not null`
  await advanceUpstreams(engine.sql)
}

const closed = () => engine.sql<{ id: string; state: string; words: string; probes: number; host: string }[]>`
  select id, state, words, probes, host from upstreams where state <> 'open'`
const waiting = async (runId: string) =>
  (await engine.sql`select seq from due_items where run_id = ${runId} and due_at = 'infinity'`).length

/** Consumes until nothing can start. */
async function consumeAll(): Promise<void> {
  await consume(engine.ctx)
  await engine.ctx.idle()
}

/** Plays until the run has ended, with moments that come at once. */
async function toTheEnd(runId: string, rounds = 60): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    await consumeAll()
    if ((await engine.run(runId)).finished_at !== null) return
    await moments()
    await endForgottenWaits(engine.sql)
  }
  throw new Error(`the run did not end in ${rounds} rounds: ${JSON.stringify(await engine.run(runId))}`)
}

describe('items that an upstream refuses [items.upstreams]', () => {
  it('wait, use no retry, leave no attempt behind, and fresh items are not sent', async () => {
    await engine.deploy({ concurrency: 10 })
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(100)
    await consumeAll()
    const run = await engine.run(runId)
    expect(run).toMatchObject({ failed: 0, running: 0, stop_reason: null, consecutive_failures: 0 })
    expect(run.waits_for).not.toBeNull()
    expect(await waiting(runId)).toBeLessThanOrEqual(30)
    expect(await waiting(runId)).toBeGreaterThan(0)
    // A few of those may try it again before the test looks.
    expect(engine.requests.flat().length).toBeLessThanOrEqual(40)
    expect(await engine.sql`select 1 from attempts`).toHaveLength(0)
    const items = await engine.items(runId)
    expect(items.every(item => Number(item.agent_failures) + Number(item.transport_failures) === 0)).toBe(
      true,
    )
    expect(await closed()).toMatchObject([{ state: 'away', words: 'the engine is overloaded', host: HOST }])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('are tried one at a time, and all go on when one works', async () => {
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(40)
    await consumeAll()
    for (let probe = 1; probe <= 3; probe++) {
      engine.requests.length = 0
      await moments()
      await consumeAll()
      expect(engine.requests.flat()).toHaveLength(1) // of 40 items none is fresh any more
      expect(engine.requests.flat().every(item => item.probe)).toBe(true)
    }
    engine.play(items =>
      items.flatMap(item => [
        ...(item.probe ? [step(item, 'call', { kind: 'llm_call', upstream: { host: HOST } })] : []),
        result(item),
      ]),
    )
    await toTheEnd(runId)
    expect(await engine.run(runId)).toMatchObject({ ok: 40, failed: 0, waits_for: null })
    expect(await closed()).toHaveLength(0)
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('keep what they recorded, so that a step is paid once', async () => {
    const ran = new Map<number, number>()
    let isAway = true
    engine.play(items =>
      items.flatMap(item => {
        const lines: AgentLine[] = []
        if (item.recorded.length === 0) {
          ran.set(item.seq, (ran.get(item.seq) ?? 0) + 1)
          lines.push(step(item, 'first'))
        }
        if (isAway) return [...lines, refused(item)]
        const more = item.probe ? { upstream: { host: HOST } } : {}
        return [...lines, step(item, 'second', { kind: 'llm_call', ...more }), result(item)]
      }),
    )
    const runId = await engine.submit(20)
    await consumeAll()
    await moments()
    await consumeAll()
    isAway = false
    await toTheEnd(runId)
    expect(await engine.run(runId)).toMatchObject({ ok: 20 })
    expect([...ran.values()].every(times => times === 1)).toBe(true)
  })

  it('end as `upstream_unavailable` when the run’s patience is over, without being sent, and do not stop the run [items.patience]', async () => {
    await engine.deploy({ patience_seconds: 60, max_consecutive_failures: 3 })
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(30)
    await consumeAll()
    expect(await endPatience(engine.sql)).toBe(0)
    await engine.sql`update runs set waits_since = now() - interval '61 seconds'`
    expect(await endPatience(engine.sql)).toBe(1)
    engine.requests.length = 0
    await consumeAll()
    expect(engine.requests).toHaveLength(0)
    expect(await engine.run(runId)).toMatchObject({ failed: 30, cancelled: 0, stop_reason: null })
    const [item] = await engine.items(runId)
    expect(item).toMatchObject({ error_code: 'upstream_unavailable', outcome: 'failed' })
    expect(item!.error_message).toContain(`${HOST} was away`)
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('do not wait for what only one of them meets: the third refusal is its own error, with its step [items.upstream-faults]', async () => {
    const message = 'Forbidden'
    const ask = {
      key: 'ask',
      kind: 'llm_call' as const,
      name: 'ask',
      error: { code: 'llm_call_error', message },
      started_at: '2026-01-01T00:00:00Z',
      duration_ms: 3,
    }
    const sends = new Map<number, number>()
    engine.play(items =>
      items.flatMap(item => {
        sends.set(item.seq, (sends.get(item.seq) ?? 0) + 1)
        const report = { host: HOST, fault: 'refused' as const, closed: false, others_served: true }
        return item.seq === 7
          ? [refused(item, { message, status: 403, retryable: false, upstream: report, step: ask })]
          : [result(item)]
      }),
    )
    const runId = await engine.submit(50)
    for (let i = 0; i < 4; i++) {
      await consumeAll()
      await engine.skipBackoff()
    }
    expect(await engine.run(runId)).toMatchObject({ ok: 49, failed: 1 })
    expect(sends.get(7)).toBe(3)
    expect((await engine.items(runId))[6]).toMatchObject({
      error_code: 'llm_call_error',
      error_message: message,
    })
    expect(await engine.sql`select seq, key, error_code from steps`).toEqual([
      { seq: 7, key: 'ask', error_code: 'llm_call_error' },
    ])
    expect(await closed()).toHaveLength(0)
  })

  it('are sent three times if their answer is cut, and end then', async () => {
    const sends: number[] = []
    engine.play(items =>
      items.flatMap(item => {
        sends.push(item.seq)
        const report = { host: HOST, fault: 'cut' as const, closed: false }
        return item.seq === 2 ? [refused(item, { message: 'cut', upstream: report })] : [result(item)]
      }),
    )
    const runId = await engine.submit(5)
    await consumeAll()
    expect(await engine.run(runId)).toMatchObject({ ok: 4, failed: 1 })
    expect(sends.filter(seq => seq === 2)).toHaveLength(3)
    expect((await engine.items(runId))[1]!.error_message).toContain('may have been paid for')
  })

  it('come back at the moment that was named, by whoever has counted no evidence either', async () => {
    let isLimited = true
    engine.play(items =>
      items.map(item =>
        isLimited
          ? refused(item, { message: 'slow down', status: 429, retry_after_ms: 30_000, upstream: HOST })
          : result(item),
      ),
    )
    const runId = await engine.submit(10)
    await consumeAll()
    expect(await closed()).toMatchObject([{ state: 'cooling' }])
    const [row] = await engine.sql<{ ms: number }[]>`
      select extract(epoch from next_at - now())::float8 * 1000 as ms from upstreams`
    expect(row!.ms).toBeGreaterThan(20_000)
    expect(row!.ms).toBeLessThanOrEqual(30_000)
    isLimited = false
    await engine.sql`update upstreams set state = 'open', next_at = now(), pace = null`
    await toTheEnd(runId)
    expect(await engine.run(runId)).toMatchObject({ ok: 10 })
  })
})

describe('a deploy', () => {
  const deployedAgain = async () => {
    const [row] = await engine.sql<{ id: string }[]>`
      select id from deployments where agent_id = ${engine.agent_id} order by version desc limit 1`
    const { project_id, agent_id } = engine
    await giveValues(engine.ctx.db, { project_id, agent_id, id: row!.id } as never)
    return row!.id
  }
  it('that differs in values alone reaches the run that waits, and what it waited is kept', async () => {
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(10)
    await consumeAll()
    const { waits_for } = await engine.run(runId)
    await engine.sql`update runs set waits_since = now() - interval '10 seconds'`
    await engine.deploy()
    const deployment_id = await deployedAgain()
    const run = await engine.run(runId)
    expect(run).toMatchObject({ deployment_id, waits_for: null, waited_for: [waits_for] })
    expect(Number(run.waited_ms)).toBeGreaterThanOrEqual(10_000)
    expect(await waiting(runId)).toBe(0)
  })

  it('of another declaration leaves it with its own', async () => {
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(10)
    await consumeAll()
    const before = await engine.run(runId)
    await engine.deploy({ retries: 1 })
    await deployedAgain()
    const { deployment_id, waits_for } = await engine.run(runId)
    expect({ deployment_id, waits_for }).toEqual({
      deployment_id: before.deployment_id,
      waits_for: before.waits_for,
    })
  })
})

describe('a state', () => {
  it('is kept while its probes fail, and is not left by an answer that began before it', async () => {
    engine.play(items => items.map(item => refused(item)))
    await engine.submit(10)
    await consumeAll()
    engine.play(items =>
      items.flatMap(item => [
        step(item, 'call', { kind: 'llm_call', upstream: { host: HOST, ago_ms: 600_000 } }),
        result(item),
      ]),
    )
    await moments()
    await consumeAll()
    expect(await closed()).toHaveLength(1)
  })

  it('opens slowly: four items in the first second, then twice as many', async () => {
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(100)
    await consumeAll()
    const stopped = await waiting(runId)
    await engine.sql`update upstreams set state = 'open', since = now(), pace = 4, next_at = now()`
    const left: number[] = []
    for (let i = 0; i < 4; i++) {
      await moments()
      left.push(await waiting(runId))
    }
    expect(left).toEqual([4, 12, 28, 60].map(n => Math.max(0, stopped - n)))
  })

  it('is left after an hour in which nobody waited for it', async () => {
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(1)
    await consumeAll()
    await engine.sql`delete from due_items where run_id = ${runId}`
    await engine.sql`update upstreams set since = now() - interval '61 minutes'`
    await moments()
    expect(await closed()).toHaveLength(0)
  })

  it('of an upstream that nobody called for a week is forgotten', async () => {
    engine.play(items => items.map(item => refused(item)))
    await engine.submit(1)
    await consumeAll()
    await engine.sql`update upstreams set state = 'open', used_at = now() - interval '8 days'`
    expect(await removeUnused(engine.sql, 100)).toBe(1)
  })

  it('that ended while its items were being given back does not keep them', async () => {
    engine.play(items => items.map(item => refused(item)))
    const runId = await engine.submit(5)
    await consumeAll()
    await engine.sql`delete from upstreams`
    expect(await waiting(runId)).toBe(5)
    expect(await endForgottenWaits(engine.sql)).toBe(1)
    expect(await waiting(runId)).toBe(0)
    expect((await engine.run(runId)).waits_for).toBeNull()
  })

  it('is kept for a bounded number of keys, however many a deployment makes up', async () => {
    engine.play(items =>
      items.map(item =>
        refused(item, {
          upstream: {
            host: HOST,
            key: item.seq.toString(16).padStart(32, '0'),
            fault: 'overloaded',
            closed: true,
          },
        }),
      ),
    )
    await engine.submit(120)
    await consumeAll()
    expect((await closed()).length).toBeLessThanOrEqual(LIMITS.upstreams_per_deployment + 1)
  })

  it('that an agent behind a URL reports stops its own deployment alone', async () => {
    const other = await engine.agent('other')
    engine.play((items, { target }) =>
      items.map(item => (target.agent_id === other ? result(item) : refused(item))),
    )
    const first = await engine.submit(10)
    await consumeAll()
    const second = await engine.submit(10, { agent_id: other })
    await consumeAll()
    expect(await waiting(first)).toBeGreaterThan(0)
    expect(await engine.run(second)).toMatchObject({ ok: 10 })
  })
})

describe('an agent behind a URL', () => {
  it('that is away costs time and no item, and is tried by one item at a time', async () => {
    let isAway = true
    const sent: number[] = []
    const ctx = {
      ...engine.ctx,
      invokeAgent: ((target, request) => {
        sent.push(request.body.split('\n').filter(Boolean).length)
        if (!isAway) return engine.ctx.invokeAgent(target, request)
        const body = (async function* () {
          yield new TextEncoder().encode('upstream connect error')
        })()
        return Promise.resolve({ status: 503, contentType: 'text/plain', body })
      }) as typeof engine.ctx.invokeAgent,
    }
    await engine.deploy({ concurrency: 20 })
    const runId = await engine.submit(200)
    await consume(ctx)
    await ctx.idle()
    expect(await closed()).toMatchObject([{ state: 'away', host: 'http://played' }])
    expect(sent.length).toBeLessThanOrEqual(4)
    sent.length = 0
    await moments()
    await consume(ctx)
    await ctx.idle()
    expect(sent).toEqual([1])
    isAway = false
    for (let i = 0; i < 30 && (await engine.run(runId)).finished_at === null; i++) {
      await moments()
      await consume(ctx)
      await ctx.idle()
      await setTimeout(20)
    }
    expect(await engine.run(runId)).toMatchObject({ ok: 200, failed: 0, cancelled: 0 })
    expect(await engine.sql`select 1 from items where transport_failures + agent_failures > 0`).toHaveLength(
      0,
    )
    expect(await conservation(engine, runId)).toEqual([])
  })
})

it('a report that is none ends its item and says what is wrong', async () => {
  engine.play(items =>
    items.map(item =>
      item.seq === 1
        ? refused(item, { upstream: { host: 'x'.repeat(LIMITS.upstream_host_characters + 1) } })
        : result(item),
    ),
  )
  const runId = await engine.submit(3)
  await consumeAll()
  expect(await engine.run(runId)).toMatchObject({ ok: 2, failed: 1 })
  expect((await engine.items(runId))[0]).toMatchObject({ error_code: 'protocol_error' })
})
