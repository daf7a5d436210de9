// What may go wrong outside, as settings of the double. Times are seconds since the first call. Each has a short version, in
// which what fails is back after seconds; the long one has the times of a bad night.

import type { Kind, Provider, Settings } from '../../support/provider.ts'
import type { AgentKind } from './agents.ts'

export interface Scenario {
  name: string
  /** How many items, and how long to wait for their end before the rest is cancelled. */
  items: number
  most_s: number
  /** When it fails, and for how long, if it is back afterwards. */
  from_s: number
  for_s: number | null
  agent: AgentKind
  provider: Partial<Settings>
  /** The agent itself is stopped from `from_s` on, for `for_s`. */
  stopsAgent?: true
  /** Of so many items the middle one ends its process or its connection. */
  poisons_of?: number
}

/** Half of the answers within 800 ms, one in a hundred after 8 s: what was measured with providers (sigma: settings.ts). */
export const LATENCY = { median_ms: 800, sigma: 0.99 }
/** As fast on average, without slow answers: each of them would leave a place that does not hang. */
const EVEN = { median_ms: 1300, sigma: 0.1 }
/** 256 places of a project and 1.3 s an answer on average. */
const PACE = 190

interface Times {
  from_s: number
  /** How long an outage lasts, and how long the run would go on after it. */
  outage_s: number
  agent_s: number
  credit_s: number
  penalty_s: number
  hang_s: number
  gateway_s: number
  after_s: number
  most_s: number
}
const QUICK: Times = {
  from_s: 5,
  outage_s: 6,
  agent_s: 4,
  credit_s: 6,
  penalty_s: 5,
  hang_s: 6,
  gateway_s: 10,
  after_s: 6,
  most_s: 60,
}
const LONG: Times = {
  from_s: 20,
  outage_s: 60,
  agent_s: 8,
  credit_s: 600,
  penalty_s: 30,
  hang_s: 60,
  gateway_s: 60,
  after_s: 30,
  most_s: 900,
}

export function scenarios(isQuick: boolean): Scenario[] {
  const t = isQuick ? QUICK : LONG
  const { from_s, most_s } = t
  const items = PACE * (from_s + t.after_s)
  const like = { items, most_s, from_s, agent: 'bundle' as const }
  const away = (name: string, for_s: number, kind: Kind, provider: Provider = 'openai'): Scenario => ({
    ...like,
    name: `${name}, ${for_s} s`,
    for_s,
    provider: { provider, latency: LATENCY, failures: [{ kind, from_s, to_s: from_s + for_s }] },
  })
  const always = (name: string, provider: Partial<Settings>): Scenario => ({
    ...like,
    name,
    for_s: null,
    provider: { latency: LATENCY, ...provider },
  })
  const poisonous = (name: string, agent: AgentKind, poisons_of: number): Scenario => ({
    ...always(name, { latency: { median_ms: 1000, sigma: 0 } }),
    agent,
    items: poisons_of,
    poisons_of,
  })
  return [
    away('provider away (503)', t.outage_s, 'unavailable'),
    {
      ...always(`agent stopped, ${t.agent_s} s`, {}),
      agent: 'url',
      for_s: t.agent_s,
      stopsAgent: true,
    },
    away('out of credit, then back', t.credit_s, 'quota'),
    away("out of credit in Anthropic's words (400), then back", t.credit_s, 'credit', 'anthropic'),
    always('key refused (401), never back', { failures: [{ kind: 'unauthorized', from_s }] }),
    always('401 for one item', {
      failures: [{ kind: 'unauthorized', items: [`item-${Math.floor(items / 2)}`] }],
    }),
    always('403 for 2 % of the inputs', {
      failures: [{ kind: 'forbidden_bare', share: 0.02, of: 'items' }],
    }),
    away('penalty with Retry-After', t.penalty_s, 'rate'),
    {
      ...away('provider hangs', t.hang_s, 'stuck'),
      provider: {
        latency: EVEN,
        failures: [{ kind: 'stuck', from_s, to_s: from_s + t.hang_s }],
      },
    },
    poisonous('one of 60 ends its connection', 'url', 60),
    poisonous('one of 60 ends its process', 'deadly bundle', 60),
    poisonous('one alone ends its connection', 'url', 1),
    poisonous('one alone ends its process', 'deadly bundle', 1),
    { ...poisonous('1 % end their connections', 'url', 100), items },
    always(`gateway gives up after ${t.gateway_s} s, 2 % take longer`, {
      failures: [{ kind: 'stuck', share: 0.02, of: 'items' }],
      gateway: { seconds: t.gateway_s, how: 'answer' },
    }),
  ]
}
