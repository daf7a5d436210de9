// Limits as providers have them, and runs that are bound by them. Seconds are counted from the first call. Each run has as many
// items as its limit allows in the seconds of the scenario, besides what a full bucket holds at its start.

import type { Limit, Settings } from '../../support/provider.ts'
import type { AgentKind } from './agents.ts'
import { LATENCY } from './scenarios.ts'
import { meanTokens } from './texts.ts'

export interface Limited {
  name: string
  /** Side by side, all with one key; two of one kind are runs of one agent. */
  runs: { agent: AgentKind; items: number }[]
  provider: Partial<Settings>
  /** Half of the texts have fewer. */
  letters: number
  /** From when on the share of the limit is counted, and what is left out of it. */
  share_from_s: number
  away?: { from_s: number; to_s: number }
  /** Every item calls more than once: the last of them cannot use the limit, since they wait for their own answers. */
  callsAgain?: true
  /** How long to wait for the end before the rest is cancelled. */
  most_s: number
}

/** Calls a second: a quarter of what 256 places could do. */
const RATE = 50
const LETTERS = 600
const TOKENS = meanTokens(LETTERS)
/** Sandboxes have started, and the engine may have learned. */
const SHARE_FROM_S = 10
/** What a bucket holds besides what flows in, in seconds of its rate. */
const HELD_S = 10

/** So much a second; a bucket holds what flows in within ten seconds. */
const bucket = (of: Limit['of'], rate: number, per_s = 10): Limit => ({
  of,
  kind: 'bucket',
  per_s,
  amount: Math.round(rate * per_s),
  burst: Math.round(rate * HELD_S),
})
const window = (of: Limit['of'], rate: number, per_s: number, offset_s: number): Limit => ({
  of,
  kind: 'window',
  per_s,
  amount: Math.round(rate * per_s),
  offset_s,
})

/** Tokens bind, requests do not. */
const OPENAI = (per_s: number) => [
  bucket('requests', RATE * 1.2, per_s),
  bucket('tokens', RATE * TOKENS, per_s),
]

function scenario(
  name: string,
  seconds: number,
  provider: Partial<Settings>,
  rest: Partial<Limited> = {},
): Limited {
  return {
    name: `limits: ${name}`,
    runs: [{ agent: 'bundle', items: RATE * (seconds + HELD_S) }],
    provider: { latency: LATENCY, ...provider },
    letters: LETTERS,
    share_from_s: SHARE_FROM_S,
    most_s: 3 * seconds + 60,
    ...rest,
  }
}

/** Each takes about `seconds` if nothing of the limit is lost. */
function inHeaders(seconds: number): Limited[] {
  const of = (name: string, provider: Partial<Settings>, rest?: Partial<Limited>) =>
    scenario(name, seconds, provider, rest)
  const slow = RATE * 0.6
  return [
    of("OpenAI, ten seconds' buckets", { limits: OPENAI(10) }),
    of(
      'OpenAI, an agent behind a URL',
      { limits: OPENAI(10) },
      { runs: [{ agent: 'url', items: RATE * (seconds + HELD_S) }] },
    ),
    of("OpenAI, a minute's buckets that hold ten seconds'", { limits: OPENAI(60) }),
    of(
      "OpenAI, a minute's buckets, full at first",
      { limits: [{ of: 'tokens', kind: 'bucket', per_s: 60, amount: Math.round(slow * TOKENS * 60) }] },
      { runs: [{ agent: 'bundle', items: slow * (seconds + 60) }], most_s: 3 * seconds + 180 },
    ),
    of("Azure, one second's windows", {
      provider: 'azure',
      ways: ['retry_after_ms'],
      limits: [window('requests', RATE, 1, 0.4)],
    }),
    of("Azure, ten seconds' windows", {
      provider: 'azure',
      ways: ['retry_after_ms'],
      limits: [window('tokens', RATE * TOKENS, 10, 3)],
    }),
    of('Anthropic, input and output apart', {
      provider: 'anthropic',
      limits: [
        bucket('requests', RATE * 1.2, 60),
        bucket('input_tokens', RATE * TOKENS, 60),
        bucket('output_tokens', RATE * 1.2 * OUTPUT_TOKENS, 60),
      ],
      output_tokens: OUTPUT_TOKENS,
    }),
    of("standard fields, ten seconds' windows", {
      headers: 'standard',
      ways: ['retry_after_s'],
      limits: [window('requests', RATE, 10, 3)],
    }),
    of(
      'falls to a fifth half way',
      { limits: [bucket('requests', RATE)], changes: [{ at_s: seconds / 2, factor: 0.2 }] },
      { runs: [{ agent: 'bundle', items: RATE * (HELD_S + seconds * 0.6) }] },
    ),
  ]
}

/** Of an answer that says why. */
const OUTPUT_TOKENS = 120

/** What two calls of an item count in a limit of tokens (classify-twice.ts), where the larger of input and most counts. */
const MOST_TOKENS = 400
/** Fewer than their tokens: the texts of long items exceed them. */
const TWICE_TOKENS = MOST_TOKENS * 1.05

function shared(seconds: number): Limited[] {
  const items = RATE * (seconds + HELD_S)
  return [
    scenario(
      'two agents on one key',
      seconds,
      { limits: OPENAI(10) },
      {
        runs: [
          { agent: 'bundle', items: items / 2 },
          { agent: 'url', items: items / 2 },
        ],
      },
    ),
    scenario(
      'a large run and a small one',
      seconds,
      { limits: OPENAI(10) },
      {
        runs: [
          { agent: 'bundle', items: items - SMALL },
          { agent: 'bundle', items: SMALL },
        ],
      },
    ),
    scenario(
      'two calls an item',
      seconds,
      { limits: [bucket('requests', RATE * 1.2), bucket('tokens', RATE * TWICE_TOKENS)] },
      { runs: [{ agent: 'bundle of two calls', items: items / 2 }], callsAgain: true },
    ),
    scenario(
      'two calls an item, tokens given back',
      seconds,
      {
        cost: { before: 'sum', settles: true },
        limits: [bucket('requests', RATE * 1.2), bucket('tokens', RATE * TOKENS)],
      },
      { runs: [{ agent: 'bundle of two calls', items: items / 2 }], callsAgain: true },
    ),
  ]
}

/** Half a limit's worth of a quarter of a minute. */
const SMALL = 400

/** Nothing says what they are. `from_s` is when the search should have found them. */
function unknown(seconds: number, from_s: number): Limited[] {
  const rest = { share_from_s: from_s }
  return [
    scenario(
      'Gemini, no headers, the delay in the body',
      seconds,
      { provider: 'gemini', limits: [bucket('requests', RATE, 60)] },
      rest,
    ),
    scenario(
      'vLLM, places alone',
      seconds,
      { provider: 'vllm', places: PLACES },
      { ...rest, runs: [{ agent: 'bundle', items: Math.round((PLACES / MEAN_S) * seconds) }] },
    ),
  ]
}

/** Fewer than the project's: whatever else is in flight stands in line. */
const PLACES = 48
/** Of an answer, with this median and sigma. */
const MEAN_S = (LATENCY.median_ms / 1000) * Math.exp(LATENCY.sigma ** 2 / 2)

/** Only with time. */
function long(): Limited[] {
  const day: Limit = { of: 'requests', kind: 'window', per_s: 86_400, amount: 100_000 }
  return [
    scenario("OpenAI, ten seconds' buckets, five minutes", 300, { limits: OPENAI(10) }),
    scenario("Groq, a day's requests beside a minute's tokens", 120, {
      provider: 'groq',
      limits: [day, bucket('tokens', RATE * TOKENS, 60)],
    }),
    scenario("Mistral's headers, which name no resets", 120, {
      headers: 'mistral',
      ways: [],
      limits: [bucket('requests', RATE, 60)],
    }),
    night(),
  ]
}

/** 6,000 pages of two calls at 500 requests and 200,000 tokens a minute, with ten minutes of 503 among them. */
function night(): Limited {
  const away = { from_s: 480, to_s: 1080 }
  const limit = { kind: 'bucket', per_s: 60 } as const
  return scenario(
    'a night of 6,000 pages with an outage of ten minutes',
    3000,
    {
      limits: [
        { ...limit, of: 'requests', amount: 500 },
        { ...limit, of: 'tokens', amount: 200_000 },
      ],
      failures: [{ kind: 'unavailable', ...away }],
    },
    {
      runs: [{ agent: 'bundle of two calls', items: 6000 }],
      letters: 1500,
      share_from_s: 60,
      away,
      callsAgain: true,
    },
  )
}

export function limited(isQuick: boolean): Limited[] {
  if (isQuick) return [...inHeaders(30), ...shared(30), ...unknown(45, 20)]
  return [...inHeaders(120), ...shared(120), ...unknown(240, 60), ...long()]
}
