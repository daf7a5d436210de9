import { describe, expect, it } from 'vitest'
import { LIMITS } from '../kernel/limits.ts'
import { hostOf, itemsWaiting } from './upstream.ts'

type Upstreams = Parameters<typeof itemsWaiting>[0]
type Runs = Parameters<typeof itemsWaiting>[1]

const upstream = (id: string, more: object = {}) =>
  ({ id, state: 'away', waiting_items: 0, runs: [], ...more }) as unknown as Upstreams[number]
const run = (id: string, queued: number, upstream_id: string | null) =>
  ({ id, queued, waits_for: upstream_id && { upstream_id } }) as unknown as Runs[number]
const counted = (upstreams: Upstreams, runs: Runs) =>
  itemsWaiting(upstreams, runs).map(({ upstream, items, more }) => [upstream.id, `${items}${more}`])

describe('the items that wait for an upstream', () => {
  it('are all that are left of the runs that wait, the most first', () => {
    const runs = [run('r', 40, 'a'), run('s', 1200, 'b'), run('t', 5, null), run('u', 2, 'a')]
    expect(counted([upstream('a', { waiting_items: 3 }), upstream('b')], runs)).toEqual([
      ['b', '1200'],
      ['a', '42'],
    ])
  })
  it('are at least those that were stopped there', () => {
    expect(counted([upstream('a', { waiting_items: 3 })], [])).toEqual([['a', '3']])
  })
  it('are none of an upstream that is open, and none where nothing waits', () => {
    expect(counted([upstream('a', { state: 'open', waiting_items: 3 }), upstream('b')], [])).toEqual([])
  })
  it('have a plus where not all were counted', () => {
    const most = upstream('a', { waiting_items: LIMITS.upstream_items_counted })
    expect(counted([most], [])).toEqual([['a', `${LIMITS.upstream_items_counted}+`]])
    expect(counted([upstream('a', { waiting_items: 1, runs: ['of another page'] })], [])).toEqual([
      ['a', '1+'],
    ])
  })
})

it.each([
  ['api.openai.com', 'api.openai.com'],
  ['https://api.openai.com/v1', 'api.openai.com'],
  ['http://127.0.0.1:8099/v1/', '127.0.0.1:8099'],
  ['https://openrouter.ai/api/v1', 'openrouter.ai'],
  ['https://generativelanguage.googleapis.com/v1beta', 'generativelanguage.googleapis.com'],
  ['http://agents.test:8080/function/classify', 'http://agents.test:8080/function/classify'],
])('%s means the host %s', (text, host) => {
  expect(hostOf(text)).toBe(host)
})
