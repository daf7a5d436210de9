import { describe, expect, it } from 'vitest'
import type { Schemas } from './api.ts'
import { clientFinding, limitFinding } from './doctor-upstreams.ts'

const NOW = Date.parse('2026-03-02T08:00:00Z')
const upstream = (more: Partial<Schemas['Upstream']>) =>
  ({
    host: 'api.openai.com',
    label: 'OPENAI_API_KEY',
    model: null,
    declared_limits: [],
    reported_limits: [],
    client_retries_at: null,
    ...more,
  }) as unknown as Schemas['Upstream']
const set = (limits: object) => [{ id: 'l', label: null, set_in: 'project' as const, ...limits }]
const reported = (of: 'requests' | 'tokens' | 'input_tokens', amount: number, seconds: number | null) => [
  { of, amount, left: amount, seconds },
]

describe('limits that are set', () => {
  it('above what answers report are wrong, with both figures', () => {
    const rows = [
      upstream({
        declared_limits: set({ requests: '600/min' }),
        reported_limits: reported('requests', 500, 60),
      }),
    ]
    expect(limitFinding(rows)).toMatchObject({
      state: 'wrong',
      found:
        'api.openai.com (OPENAI_API_KEY): 600 requests a minute set, 500 requests in 1 min reported; the lower counts',
      fix: expect.stringContaining('assay limits unset api.openai.com --credential OPENAI_API_KEY'),
    })
  })
  it.for([
    ['the same', { requests: '500/min' }, reported('requests', 500, 60)],
    ['lower', { requests: '8/s' }, reported('requests', 500, 60)],
    ['of something else', { tokens: '9000/min' }, reported('input_tokens', 500, 60)],
    ['of an unknown window', { requests: '600/min' }, reported('requests', 500, null)],
    ['of items in flight', { in_flight: 900 }, reported('requests', 500, 60)],
  ] as const)('%s are fine', ([, limits, reported_limits]) => {
    const rows = [upstream({ declared_limits: set(limits), reported_limits: [...reported_limits] })]
    expect(limitFinding(rows)).toMatchObject({
      state: 'ok',
      found: '1 upstream, none set above what it reports',
    })
  })
})

describe('a client that tries again by itself', () => {
  it('is wrong, with what to switch off', () => {
    const rows = [upstream({}), upstream({ client_retries_at: '2026-03-02T07:58:00.000Z' })]
    expect(clientFinding(rows, NOW)).toMatchObject({
      state: 'wrong',
      found: 'the client of api.openai.com (OPENAI_API_KEY) tried a refused call again by itself 2m ago',
      fix: expect.stringContaining('maxRetries: 0'),
    })
  })
  it('is fine once it was not seen for a day', () => {
    const rows = [upstream({ client_retries_at: '2026-03-01T07:58:00.000Z' })]
    expect(clientFinding(rows, NOW).state).toBe('ok')
  })
})
