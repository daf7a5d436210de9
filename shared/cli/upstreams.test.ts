import { expect, it } from 'vitest'
import { screen } from '../../test/support/cli-samples.ts'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import type { Schemas } from './api.ts'
import { parse } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { sayUncalled } from './limits.ts'
import { retry, upstreams, upstreamsTable } from './upstreams.ts'

const NOW = Date.parse('2026-01-01T00:05:00Z')
const ID = '01a1fab9-81a7-7eca-a25c-32a500000000'

const broke: Schemas['Upstream'] = {
  id: ID,
  project_id: ID,
  kind: 'credential',
  host: 'api.openai.com',
  label: 'OPENAI_API_KEY',
  model: null,
  deployment_id: null,
  agent_id: null,
  client_retries_at: null,
  state: 'out_of_credit',
  opening: false,
  since: '2026-01-01T00:00:00.000Z',
  reason: 'You exceeded your current quota',
  status: 429,
  next_at: '2026-01-01T00:05:40.000Z',
  probes: 9,
  declared_limits: [],
  reported_limits: [],
  items_per_minute: null,
  calls_used: [],
  waiting_items: 1234,
  runs: [ID],
}
const opening = {
  ...broke,
  host: 'api.example.com',
  label: null,
  model: 'small',
  state: 'open',
  opening: true,
} as const

it('the list of upstreams shows what each lets through, when it is tried next, what waits, and why', () => {
  const rows = [broke, opening, { ...opening, opening: false, waiting_items: 0 }]
  expect(
    upstreamsTable(rows, NOW, screen(150))
      .split('\n')
      .map(line => line.trimEnd()),
  ).toEqual([
    'UPSTREAM                         STATE           SINCE  NEXT TRY  TRIES  WAITING  WHY',
    'api.openai.com (OPENAI_API_KEY)  out of credit  5m ago    in 40s      9    1,234  You exceeded your current quota',
    'api.example.com small            opening        5m ago                9    1,234  You exceeded your current quota',
    'api.example.com small            open           5m ago                9        0  You exceeded your current quota',
  ])
})

it('an empty list of upstreams says what is not in it', async () => {
  await upstreams(answering({ 'GET /v1/upstreams': [] })(100), given())
  expect(printed()).toContain('nothing outside was closed lately')
})

it('a retry by host tries all closed upstreams of that host, and says what waits', async () => {
  const answers = {
    'GET /v1/upstreams': [broke, opening],
    [`POST /v1/upstreams/${ID}/retry`]: broke,
  }
  await retry(answering(answers)(100), given({}, ['api.openai.com']))
  expect(printed()).toContain('api.openai.com (OPENAI_API_KEY) is being tried, with 1,234 items waiting')
})

it.each([
  ['api.example.com', 'api.example.com is open: there is nothing to try'],
  ['nobody.example.com', 'nothing is known of a host nobody.example.com: there is nothing to try'],
])('a retry of %s, which is not closed, names those that are', async (host, message) => {
  const session = answering({ 'GET /v1/upstreams': [broke, opening] })(100)
  await expect(retry(session, given({}, [host]))).rejects.toMatchObject({
    message,
    hint: 'closed are: api.openai.com',
  })
})

it.each([
  ['90s', 90],
  ['30m', 1800],
  ['24h', 86_400],
  ['7d', 604_800],
])('--patience %s is sent as %d seconds', (text, seconds) => {
  const invocation = parse(COMMANDS, ['submit', 'a.csv', '--agent', 'a', '--patience', text])
  expect(invocation.kind === 'run' && invocation.given.seconds('patience')).toBe(seconds)
})

it.each(['24', 'h', '1.5h', '24 hours', '-1h', 'none'])('--patience %s is refused with an example', text => {
  expect(() => parse(COMMANDS, ['submit', 'a.csv', `--patience=${text}`])).toThrow(
    `--patience is "${text}"; it must be a time such as 90s, 30m, 24h or 7d`,
  )
})

it('a limit for a host that nobody calls says so, with those that are called', () => {
  expect(sayUncalled('api.openai.com', [broke])).toBeUndefined()
  expect(sayUncalled('127.0.0.1', [{ host: '127.0.0.1:8099' }])).toMatch(
    /no agent called 127\.0\.0\.1 lately.*\(called lately: 127\.0\.0\.1:8099\)/,
  )
  expect(sayUncalled('127.0.0.1', [])).toContain('nothing was called yet')
})
