import { expect, it } from 'vitest'
import type { UpstreamState } from '../vocabulary.ts'
import { type ShutUpstream, sayPace, sayUpstream, sayWait } from './upstream-words.ts'

const DAY_MS = 86_400_000
const upstream = (of: Partial<ShutUpstream> = {}): ShutUpstream => ({
  host: 'api.openai.com',
  label: 'OPENAI_API_KEY',
  state: 'out_of_credit',
  reason: 'You exceeded your current quota, please check your plan',
  next_ms: 4200,
  ...of,
})

it('what waits for a provider without credit is told who says what, when it is tried, and for how long it waits', () => {
  expect(sayWait('the item', upstream(), DAY_MS)).toBe(
    'Out of credit: api.openai.com (OPENAI_API_KEY) says: You exceeded your current quota, please check your plan. It is tried again in 4 s; the item waits until it serves, for at most 1 d.',
  )
})

it.each<[UpstreamState, string]>([
  ['cooling', 'Cooling: api.openai.com (OPENAI_API_KEY) asks for less: Slow down.'],
  ['away', 'Away: api.openai.com (OPENAI_API_KEY) serves nobody: Slow down.'],
  ['out_of_credit', 'Out of credit: api.openai.com (OPENAI_API_KEY) says: Slow down.'],
  ['refused', 'Refused: api.openai.com (OPENAI_API_KEY) refuses the credential: Slow down.'],
  [
    'open',
    'Opening: api.openai.com (OPENAI_API_KEY) serves again, and what waited for it is let through, more each second.',
  ],
])('an upstream that is %s is told in a sentence of its own', (state, said) => {
  for (const reason of ['Slow down', 'Slow down.', ' Slow down. '])
    expect(sayUpstream(upstream({ state, reason }))).toBe(said)
})

it('an agent is named by its URL, a refusal without words is told without, and a cut one keeps its ellipsis', () => {
  const agent = { host: 'https://agents.example.com/triage', label: null, state: 'away' as const }
  expect(sayUpstream(upstream({ ...agent, reason: '' }))).toBe(
    'Away: https://agents.example.com/triage serves nobody.',
  )
  expect(sayUpstream(upstream({ reason: 'You exceeded…' }))).toMatch(/says: You exceeded…$/)
})

it('a try that is due or not planned is told without a negative time, and patience that is nearly over without zero', () => {
  for (const next_ms of [null, 0, -5000])
    expect(sayWait('the run', upstream({ next_ms }), 0)).toMatch(
      /tried again in a moment; the run waits until it serves, for at most 1 s\.$/,
    )
})

it('what waited for an upstream that is open already goes on by itself', () => {
  expect(sayWait('the item', null, DAY_MS)).toBe(
    'The item waited for a provider that serves again: it continues within a minute.',
  )
})

it.for([
  [48, 28_800, 'now about 48 a second: all 28,800 that wait in about 10 min'],
  [0.5, 1, 'now about 30 a minute: the one that waits in about 2 s'],
  [0.001, 2, 'now about 4 an hour: all 2 that wait in about 33 min 20 s'],
  [4, 0, 'now about 4 a second'],
] as const)(
  'a pace of %s a second and %i that wait are said with how long that takes',
  ([per_second, waiting, end]) => {
    const paced = { host: 'api.openai.com', label: 'OPENAI_API_KEY', per_second }
    expect(sayPace(paced, waiting)).toBe(
      `items begin as fast as the limits of api.openai.com (OPENAI_API_KEY) allow, ${end}`,
    )
  },
)

it('a limit that is used up is said without a pace', () => {
  expect(sayPace({ host: 'api.example.com', label: null, per_second: 0 }, 9)).toBe(
    'items wait until the limits of api.example.com leave room again',
  )
})
