import { expect, it } from 'vitest'
import { hostOf, reportedText, sayRunWait, stateText } from './upstream.ts'

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

it('an upstream is open only if it lets everything through', () => {
  expect(stateText({ state: 'open', opening: false })).toBe('open')
  expect(stateText({ state: 'open', opening: true })).toBe('opening')
  expect(stateText({ state: 'out_of_credit', opening: false })).toBe('out of credit')
})

it.each([
  [{ of: 'requests', amount: 500, seconds: 60 }, '500 requests in 1 min'],
  [{ of: 'input_tokens', amount: 40_000, seconds: 59.7 }, '40,000 input tokens in 1 min'],
  [{ of: 'requests', amount: 14_400, seconds: 86_400 }, '14,400 requests in 1 d'],
  [{ of: 'requests', amount: 6, seconds: 0.2 }, '6 requests in 1 s'],
  [{ of: 'tokens', amount: 9000, seconds: null }, '9,000 tokens'],
] as const)('a limit that answers reported is said with its window, if that is known', (limit, text) => {
  expect(reportedText({ ...limit, left: 0 })).toBe(text)
})

it('the URL of a provider is its host, and the URL of an agent stays', () => {
  expect(hostOf('https://api.openai.com/')).toBe('api.openai.com')
  expect(hostOf('api.openai.com')).toBe('api.openai.com')
  expect(hostOf('http://127.0.0.1:9/invoice')).toBe('http://127.0.0.1:9/invoice')
})
