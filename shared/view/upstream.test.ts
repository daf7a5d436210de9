import { expect, it } from 'vitest'
import { sayRunWait } from './upstream.ts'

const NOW = Date.parse('2026-03-02T03:12:00Z')
const wait = {
  upstream_id: '01a1fab9-81a7-7eca-a25c-32a500000000',
  host: 'api.openai.com',
  label: 'OPENAI_API_KEY',
  state: 'away' as const,
  reason: 'connection refused',
  since: '2026-03-02T03:00:00.000Z',
  next_at: '2026-03-02T03:12:05.000Z',
}

it('what a run waits for is reported with who said what, since when, and when it is tried', () => {
  expect(sayRunWait(wait, NOW)).toBe(
    'Away: api.openai.com (OPENAI_API_KEY) serves nobody: connection refused. So since 12 min; it is tried again in 5 s.',
  )
  expect(sayRunWait({ ...wait, next_at: null }, NOW)).toMatch(/it is tried again in a moment\.$/)
})

it('an upstream that is opening is not tried, and a clock that is behind shows no negative time', () => {
  expect(sayRunWait({ ...wait, state: 'open', since: '2026-03-02T03:12:03.000Z' }, NOW)).toBe(
    'Opening: api.openai.com (OPENAI_API_KEY) serves again, and what waited for it is let through, more each second. So since 1 s.',
  )
})
