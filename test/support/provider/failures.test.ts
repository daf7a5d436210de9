// Checks what the double of a provider does besides its words: limits refuse what exceeds them and nothing else, failures
// come when they should, connections end as they should, and counts count.

import { setTimeout as pause } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModelProvider, type Settings, startProvider } from '../provider.ts'
import { Limits, type Use } from './limits.ts'
import { lognormal } from './random.ts'
import type { Limit } from './settings.ts'

let double: ModelProvider
let keys = 0
beforeAll(async () => {
  double = await startProvider()
})
afterAll(() => double.close())

function newKey(settings: Partial<Settings> = {}): string {
  const key = `key-${++keys}`
  double.set(key, { latency: { median_ms: 0, sigma: 0 }, ...settings })
  return key
}

const messages = [{ role: 'user' as const, content: 'Label: item-1 is late' }]
const clientOf = (apiKey: string, timeout = 5000) =>
  new OpenAI({ apiKey, baseURL: `${double.url}/v1`, maxRetries: 0, timeout })
const ask = (key: string, item = 'item-1', max_tokens = 0, timeout?: number) =>
  clientOf(key, timeout).chat.completions.create(
    { model: 'gpt-5-mini', messages, max_tokens },
    { headers: { 'x-item': item } },
  )
/** `ok`, or the name of the error and its status. */
const outcome = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => 'ok',
    (error: Error & { status?: number }) => `${error.constructor.name} ${error.status ?? ''}`.trim(),
  )
async function outcomes(n: number, call: (i: number) => PromiseLike<unknown>): Promise<string[]> {
  const found: string[] = []
  for (let i = 0; i < n; i++) found.push(await outcome(call(i)))
  return found
}
const [OK, REFUSED] = ['ok', 'RateLimitError 429']

describe('limits', () => {
  const one: Use = { requests: 1, tokens: 100, input_tokens: 60, output_tokens: 40 }
  const passed = (limits: Limit[], times: number[], use = one) => {
    const limited = new Limits(limits, 0)
    return times.map(now => limited.take(use, now) === null)
  }

  it('let a bucket pass what it holds, and then what flows in', () => {
    const bucket: Limit = { of: 'requests', amount: 60, per_s: 60, kind: 'bucket', burst: 2 }
    expect(passed([bucket], [0, 0, 0, 999, 1000, 1001])).toEqual([true, true, false, false, true, false])
  })

  it('let a window pass its amount, and as much again in the next', () => {
    const window: Limit = { of: 'tokens', amount: 200, per_s: 10, kind: 'window' }
    expect(passed([window], [0, 5000, 9999, 10_000, 10_001, 10_002])).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
    ])
    const limited = new Limits([window], 0)
    limited.take({ ...one, tokens: 200 }, 0)
    expect(limited.take(one, 4000)).toMatchObject({ wait_ms: 6000, left: 0, requested: 100 })
  })

  it('take nothing for what another limit refuses, unless refused requests count', () => {
    const requests: Limit = { of: 'requests', amount: 2, per_s: 60, kind: 'window' }
    const tokens: Limit = { of: 'tokens', amount: 50, per_s: 60, kind: 'window' }
    const left = (limits: Limit[]) => {
      const limited = new Limits(limits, 0)
      expect(limited.take(one, 1)).toMatchObject({ isTooLarge: true, limit: { of: 'tokens' } })
      return limited.levels(1).map(level => level.left)
    }
    expect(left([requests, tokens])).toEqual([2, 50])
    expect(left([{ ...requests, counts_refused: true }, tokens])).toEqual([1, 50])
  })

  it('fall and rise by a factor', () => {
    const limited = new Limits([{ of: 'requests', amount: 10, per_s: 10, kind: 'bucket', burst: 1 }], 0)
    limited.change(0.2)
    limited.take(one, 0)
    expect([limited.take(one, 1000)?.amount, limited.take(one, 5000)?.amount]).toEqual([2, 2])
    limited.change(1)
    expect(limited.take(one, 6000)).toBe(null)
  })

  it('refuse over HTTP exactly what exceeds them', async () => {
    const limit = { per_s: 3600, kind: 'window' as const }
    const requests = newKey({ limits: [{ of: 'requests', amount: 3, ...limit }] })
    expect(await outcomes(5, () => ask(requests))).toEqual([OK, OK, OK, REFUSED, REFUSED])
    // The most tokens of an answer count if they are more than the request's.
    const tokens = newKey({ limits: [{ of: 'tokens', amount: 2000, ...limit }] })
    expect(await outcomes(3, () => ask(tokens, 'item-1', 1000))).toEqual([OK, OK, REFUSED])
    const large = ask(newKey({ limits: [{ of: 'tokens', amount: 2000, ...limit }] }), 'item-1', 3000)
    await expect(large).rejects.toThrow(/Request too large .* Limit 2000, Requested 3000/)
    expect(double.counts(requests)).toMatchObject({ calls: 5, ok: 3, refused: 2, failures: { rate: 2 } })
  })

  it('turn into a penalty after too many refusals', async () => {
    const limits: Limit[] = [{ of: 'requests', amount: 3, per_s: 60, kind: 'bucket', burst: 1 }]
    const key = newKey({ limits, penalty: { refusals: 2, seconds: 30 } })
    expect((await outcomes(8, () => ask(key))).slice(-4)).toEqual([REFUSED, REFUSED, REFUSED, REFUSED])
    const error = await ask(key).catch(e => e as InstanceType<typeof OpenAI.RateLimitError>)
    expect(Number((error as { headers: Headers }).headers.get('retry-after'))).toBeGreaterThan(25)
  })
})

describe('failures', () => {
  it('come and go by time', async () => {
    const key = newKey({ failures: [{ kind: 'unavailable', from_s: 0.3, to_s: 0.6 }] })
    expect(await outcome(ask(key))).toBe(OK)
    const found = new Set<string>()
    for (const end = Date.now() + 800; Date.now() < end; ) found.add(await outcome(ask(key)))
    expect([...found]).toEqual([OK, 'InternalServerError 503'])
    expect(await outcome(ask(key))).toBe(OK)
  })

  it('come after so many good answers, and go when the key is changed', async () => {
    const key = newKey({ failures: [{ kind: 'quota', after_ok: 2 }] })
    // Apart, since a call of the same millisecond as the first failure is not useless.
    const later = () => pause(2).then(() => ask(key))
    expect(await outcomes(4, later)).toEqual([OK, OK, REFUSED, REFUSED])
    double.change(key, { failures: [] })
    expect(await outcome(ask(key))).toBe(OK)
    expect(double.counts(key)).toMatchObject({ calls: 5, ok: 3, useless: 1, failures: { quota: 2 } })
  })

  it('meet a share of items always, and a share of calls by chance', async () => {
    const items = newKey({ failures: [{ kind: 'forbidden_input', share: 0.2, of: 'items' }] })
    const of = () => outcomes(100, i => ask(items, `item-${i}`))
    const first = await of()
    expect(await of()).toEqual(first)
    const failed = first.filter(one => one !== OK).length
    expect([failed > 10, failed < 32]).toEqual([true, true])
    const calls = newKey({ failures: [{ kind: 'overloaded', share: 0.5 }] })
    expect(new Set(await outcomes(30, () => ask(calls))).size).toBe(2)
  })

  it('meet the items that are named', async () => {
    const key = newKey({ failures: [{ kind: 'forbidden_bare', items: ['item-2'] }] })
    expect(await outcomes(4, i => ask(key, `item-${i}`))).toEqual([OK, OK, 'PermissionDeniedError 403', OK])
    expect(double.callsOf(key, 'item-2')).toBe(1)
  })

  it('may be answered late', async () => {
    const key = newKey({ failures: [{ kind: 'bad_gateway', after_ms: 300 }] })
    const from = performance.now()
    expect(await outcome(ask(key))).toBe('InternalServerError 502')
    expect(performance.now() - from).toBeGreaterThan(290)
  })
})

describe('connections', () => {
  const LOST = 'APIConnectionError'

  it('are reset before and after a call was worked on', async () => {
    const [before, after] = [
      newKey({ failures: [{ kind: 'reset_before' }] }),
      newKey({ failures: [{ kind: 'reset_after' }] }),
    ]
    expect([await outcome(ask(before)), await outcome(ask(after))]).toEqual([LOST, LOST])
    await outcome(ask(after))
    expect([double.counts(before).paid_again, double.counts(after).paid_again]).toEqual([0, 1])
    expect(double.counts(after)).toMatchObject({ cut: 2, failures: { reset_after: 2 } })
  })

  it('stay open without an answer until the caller gives up', async () => {
    const key = newKey({ failures: [{ kind: 'stuck' }] })
    expect(await outcome(ask(key, 'item-1', 0, 200))).toBe('APIConnectionTimeoutError')
    await expect.poll(() => double.counts(key)).toMatchObject({ in_flight: 0, failures: { given_up: 1 } })
  })

  it('end half way through an answer and a stream', async () => {
    const key = newKey({ content: 'a longer answer', failures: [{ kind: 'stream_end' }] })
    expect(await outcome(ask(key))).not.toBe(OK)
    const whole = newKey({ content: 'a longer answer' })
    const textOf = async (apiKey: string) => {
      let text = ''
      const stream = await clientOf(apiKey).chat.completions.create({ model: 'm', messages, stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      return text
    }
    expect(await textOf(whole)).toBe('a longer answer')
    await expect(textOf(key)).rejects.toThrow()
    expect(double.counts(key)).toMatchObject({ cut: 2, ok: 0 })
  })

  it('carry an error inside a stream', async () => {
    const settings: Partial<Settings> = { provider: 'anthropic', failures: [{ kind: 'error_in_200' }] }
    const client = new Anthropic({ apiKey: newKey(settings), baseURL: double.url, maxRetries: 0 })
    const stream = client.messages.stream({ model: 'claude-x', max_tokens: 16, messages })
    await expect(stream.finalText()).rejects.toMatchObject({ type: 'overloaded_error' })
    const whole = new Anthropic({ apiKey: newKey({ provider: 'anthropic' }), baseURL: double.url })
    expect(await whole.messages.stream({ model: 'claude-x', max_tokens: 16, messages }).finalText()).toBe(
      'fine',
    )
  })

  it('are cut by a gateway', async () => {
    const slow = { latency: { median_ms: 2000, sigma: 0 } }
    const answered = newKey({ ...slow, gateway: { seconds: 0.2, how: 'answer' } })
    const closed = newKey({ ...slow, gateway: { seconds: 0.2, how: 'close' } })
    expect(await outcome(ask(answered))).toBe('InternalServerError 504')
    expect(await outcome(ask(closed))).toBe(LOST)
    expect(double.counts(closed)).toMatchObject({ cut: 1, failures: { gateway: 1 } })
  })

  it('are refused while nothing listens', async () => {
    await using gone = await startProvider()
    const back = gone.leave(300)
    await expect(fetch(gone.url)).rejects.toThrow()
    await back
    expect((await fetch(gone.url)).status).toBe(404)
  })
})

describe('counts', () => {
  it('know calls by second and by item, and the most in flight', async () => {
    const key = newKey({ latency: { median_ms: 200, sigma: 0 } })
    await Promise.all([1, 2, 3].map(i => ask(key, `item-${i}`)))
    await ask(key, 'item-1')
    const counts = double.counts(key)
    expect(counts).toMatchObject({ calls: 4, ok: 4, items: 3, most_calls_of_item: 2, most_in_flight: 3 })
    expect(counts).toMatchObject({ in_flight: 0, useless: 0, paid_again: 1 })
    expect(counts.seconds.reduce((sum, { calls }) => sum + calls, 0)).toBe(4)
    expect(counts.seconds[0]).toMatchObject({ at: 0, ok: 4 })
  })

  it('keep to the places there are; others wait in line', async () => {
    const key = newKey({ latency: { median_ms: 100, sigma: 0 }, places: 1 })
    const from = performance.now()
    await Promise.all([1, 2, 3].map(i => ask(key, `item-${i}`)))
    expect(performance.now() - from).toBeGreaterThan(295)
  })

  it('are set and read by other processes over HTTP', async () => {
    const config = { key: 'other', failures: [{ kind: 'unauthorized' }] }
    const post = await fetch(`${double.url}/__config`, { method: 'POST', body: JSON.stringify(config) })
    expect(await post.json()).toMatchObject({ provider: 'openai', failures: config.failures })
    expect(await outcome(ask('other'))).toBe('AuthenticationError 401')
    const read = await fetch(`${double.url}/__counts?key=other`)
    expect(await read.json()).toMatchObject({ calls: 1, refused: 1, failures: { unauthorized: 1 } })
  })
})

it('takes as long as a lognormal has it, the same in every run', () => {
  const of = (seed: number) =>
    Array.from({ length: 4000 }, (_, i) => lognormal(800, 0.99, seed, `item-${i}`)).sort((a, b) => a - b)
  const sorted = of(1)
  expect(of(1)).toEqual(sorted)
  expect(of(2)).not.toEqual(sorted)
  expect(Math.abs(sorted[2000]! - 800)).toBeLessThan(60)
  expect(Math.abs(sorted[3960]! - 8000)).toBeLessThan(1500)
})
