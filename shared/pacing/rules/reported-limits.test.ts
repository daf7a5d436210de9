import { describe, expect, it } from 'vitest'
import type { ReportedLimit } from '../vocabulary.ts'
import { reportedLimits } from './reported-limits.ts'

const NOW = Date.UTC(2026, 10, 29, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY
const IN_30_S = '2026-11-29T12:00:30Z'

type Headers = Record<string, string>
const read = (headers: Headers) => reportedLimits(name => headers[name] ?? null, NOW)

/** The headers of a limit: its names with a star, then what `limit`, `remaining` and `reset` say. */
type Written = [star: string, limit: string | null, remaining: string, reset?: string]
const headersOf = (written: Written[]): Headers =>
  Object.fromEntries(
    written.flatMap(([star, limit, remaining, reset]) =>
      Object.entries({ limit, remaining, reset }).flatMap(([part, text]) =>
        text == null ? [] : [[star.replace('*', part), text]],
      ),
    ),
  )

const of = (
  what: ReportedLimit['of'],
  amount: number | null,
  left: number,
  reset_ms: number | null = null,
  window_ms: number | null = null,
): ReportedLimit => ({ of: what, amount, left, reset_ms, window_ms })

describe('what headers say about limits', () => {
  it.each<[string, Written[], ReportedLimit[]]>([
    [
      'OpenAI, in durations of Go',
      [
        ['x-ratelimit-*-requests', '5000', '4999', '12ms'],
        ['x-ratelimit-*-tokens', '160000', '149984', '6m0s'],
      ],
      [of('requests', 5000, 4999, 12), of('tokens', 160_000, 149_984, 6 * MINUTE)],
    ],
    [
      'OpenAI, with a limit of the project beside that of the organization',
      [
        ['x-ratelimit-*-tokens', '200000', '150000', '1.5s'],
        ['x-ratelimit-*-project-tokens', '100000', '99000', '250ms'],
      ],
      [of('tokens', 200_000, 150_000, 1500), of('tokens', 100_000, 99_000, 250)],
    ],
    [
      'Azure, in plain seconds',
      [
        ['x-ratelimit-*-requests', '2500', '2499', '24'],
        ['x-ratelimit-*-tokens', '250000', '249993', '0'],
      ],
      [of('requests', 2500, 2499, 24_000), of('tokens', 250_000, 249_993)],
    ],
    [
      'Azure, of older versions without limits',
      [
        ['x-ratelimit-*-requests', null, '79'],
        ['x-ratelimit-*-tokens', null, '61353'],
      ],
      [of('requests', null, 79), of('tokens', null, 61_353)],
    ],
    [
      'Anthropic, in times and without the capacity of the priority tier',
      [
        ['anthropic-ratelimit-requests-*', '4000', '3999', IN_30_S],
        ['anthropic-ratelimit-input-tokens-*', '2000000', '1993000', IN_30_S],
        ['anthropic-ratelimit-output-tokens-*', '400000', '400000', '2026-11-29T12:00:00Z'],
        ['anthropic-ratelimit-tokens-*', '2400000', '2393000', IN_30_S],
        ['anthropic-priority-input-tokens-*', '10000', '9618', IN_30_S],
      ],
      [
        of('requests', 4000, 3999, 30_000),
        of('input_tokens', 2_000_000, 1_993_000, 30_000),
        of('output_tokens', 400_000, 400_000),
        of('tokens', 2_400_000, 2_393_000, 30_000),
      ],
    ],
    [
      'Groq, whose requests are a day’s and tokens a minute’s, which it does not say',
      [
        ['x-ratelimit-*-requests', '14400', '14370', '2m59.56s'],
        ['x-ratelimit-*-tokens', '18000', '17997', '7.66s'],
      ],
      [of('requests', 14_400, 14_370, 179_560), of('tokens', 18_000, 17_997, 7660)],
    ],
    [
      'OpenRouter, in milliseconds since 1970',
      [['x-ratelimit-*', '20', '0', String(NOW + 8000)]],
      [of('requests', 20, 0, 8000)],
    ],
    [
      'GitHub, in seconds since 1970',
      [['x-ratelimit-*', '5000', '4987', String(NOW / 1000 + 900)]],
      [of('requests', 5000, 4987, 900_000)],
    ],
    [
      'others under the same names, in seconds',
      [['x-ratelimit-*', '100', '42', '30']],
      [of('requests', 100, 42, 30_000)],
    ],
    [
      'Mistral, with the window in the name',
      [
        ['x-ratelimit-*-req-10-second', '2', '0'],
        ['x-ratelimit-*-req-minute', '720', '717'],
        ['x-ratelimit-*-tokens-minute', '5000000', '4999911'],
        ['x-ratelimit-*-tokens-month', '1000000000000', '999999999911'],
      ],
      [
        of('requests', 2, 0, null, 10_000),
        of('requests', 720, 717, null, MINUTE),
        of('tokens', 5_000_000, 4_999_911, null, MINUTE),
        of('tokens', 1e12, 999_999_999_911, null, MONTH),
      ],
    ],
    [
      'Mistral until 2025, one of two limits under two names',
      [
        ['ratelimitbysize-*', '500000', '467993', '12'],
        ['x-ratelimitbysize-*-minute', '500000', '467993'],
        ['x-ratelimitbysize-*-month', '1000000000', '999967993'],
      ],
      [of('tokens', 500_000, 467_993, 12_000, MINUTE), of('tokens', 1e9, 999_967_993, null, MONTH)],
    ],
    [
      'Cerebras, in seconds with many digits',
      [
        ['x-ratelimit-*-requests-day', '14400', '13693', '11726.2840924263'],
        ['x-ratelimit-*-tokens-minute', '60000', '59000', '26.28409242630005'],
      ],
      [of('requests', 14_400, 13_693, 11_726_285, DAY), of('tokens', 60_000, 59_000, 26_285, MINUTE)],
    ],
    [
      'SambaNova, a minute’s and a day’s',
      [
        ['x-ratelimit-*-requests', '60', '59', '1s'],
        ['x-ratelimit-*-requests-day', '12000', '11950', '4h17m'],
      ],
      [of('requests', 60, 59, 1000), of('requests', 12_000, 11_950, 257 * MINUTE, DAY)],
    ],
    [
      'Fireworks, prompts and answers apart, one limit just lowered',
      [
        ['x-ratelimit-*-requests', '600', '598'],
        ['x-ratelimit-*-tokens-prompt', '11250000', '11249000'],
        ['x-ratelimit-*-tokens-cache-adjusted-prompt', '5400000', '5399500'],
        ['x-ratelimit-*-tokens-generated', '36000', '40000'],
      ],
      [
        of('requests', 600, 598),
        of('input_tokens', 11_250_000, 11_249_000),
        of('input_tokens', 5_400_000, 5_399_500),
        of('output_tokens', 36_000, 36_000),
      ],
    ],
    [
      'Together, of tokens and what is dynamic too',
      [
        ['x-ratelimit-*', '10', '9', '0.4'],
        ['x-ratelimit-*-dynamic', '1.5', '0.5'],
        ['x-tokenlimit-*', '3000', '2900'],
      ],
      [of('requests', 10, 9, 400), of('requests', 1.5, 0.5), of('tokens', 3000, 2900)],
    ],
    ['Cohere, of trial keys', [['x-trial-endpoint-call-*', '20', '19']], [of('requests', 20, 19)]],
    [
      'Kong, one of two limits under two names',
      [
        ['ratelimit-*', '100', '99', '41'],
        ['x-ratelimit-*-minute', '100', '99'],
        ['x-ratelimit-*-hour', '1000', '900'],
      ],
      [of('requests', 100, 99, 41_000, MINUTE), of('requests', 1000, 900, null, HOUR)],
    ],
    [
      'Envoy, of the tightest of two',
      [['x-ratelimit-*', '10, 10;w=1, 100;w=60', '2', '1']],
      [of('requests', 10, 2, 1000, 1000)],
    ],
    [
      'the older fields of the standard',
      [['ratelimit-*', '100, 100;w=60;comment="fixed, by minute"', '50', '5']],
      [of('requests', 100, 50, 5000, MINUTE)],
    ],
  ])('are read of %s', (_whose, written, limits) => {
    expect(read(headersOf(written))).toEqual(limits)
  })

  it('have a window where Azure, GitHub Models or Brave name it apart', () => {
    const azure = headersOf([['x-ratelimit-*-tokens', '250000', '249993', '1']])
    expect(read({ ...azure, 'x-ratelimit-renewalperiod-tokens': '60' })).toEqual([
      of('tokens', 250_000, 249_993, 1000, MINUTE),
    ])
    const brave = headersOf([['x-ratelimit-*', '1, 15000', '1, 1000', '1, 1419704']])
    expect(read({ ...brave, 'x-ratelimit-policy': '1;w=1, 15000;w=2592000' })).toEqual([
      of('requests', 1, 1, 1000, 1000),
      of('requests', 15_000, 1000, 1_419_704_000, MONTH),
    ])
  })

  it.each<[string, string, ...ReportedLimit[]]>([
    ['"default";r=50;t=30', '"default";q=100;w=60;qu="requests"', of('requests', 100, 50, 30_000, MINUTE)],
    [
      '"burst"; r=8; t=1; pk=:cHsdsRa894==:, "daily"; r=4998; t=69076',
      '"burst";q=10;w=10;pk=:cHsdsRa894==:, "daily";q=5000;w=86400',
      of('requests', 10, 8, 1000, 10_000),
      of('requests', 5000, 4998, 69_076_000, DAY),
    ],
    // Hugging Face
    ['"api";r=495;t=140', '"fixed window";"api";q=500;w=300', of('requests', 500, 495, 140_000, 5 * MINUTE)],
    ['"default";r=0;t=30', '', of('requests', null, 0, 30_000)],
    [
      '"t";r=900;t=6, "b";r=7, "c";r=35, "u";r=3',
      '"t";q=1000;qu="tokens", "b";qu="content-bytes", "c";qu="concurrent-requests", "u";qu="constructor"',
      of('tokens', 1000, 900, 6000),
    ],
    [
      '"tokens-60s";r=9, "Output_Tokens";r=8, "token bucket";r=7',
      '',
      of('tokens', null, 9),
      of('output_tokens', null, 8),
      of('requests', null, 7),
    ],
    ['"a, \\"b\\";r=9";r=5', '"a, \\"b\\";r=9";q=10', of('requests', 10, 5)],
    ['limit=100, remaining=50, reset=5', '100;w=60, 1000;w=3600', of('requests', 100, 50, 5000, MINUTE)],
  ])('are read of the standard field %s', (field, policy, ...limits) => {
    expect(read({ ratelimit: field, 'ratelimit-policy': policy })).toEqual(limits)
  })

  it('are left out where figures mean nothing', () => {
    // The limit and what remains of it; without a limit if it is empty.
    const nothing = '0 -1|0 0|-1 -1|-1 5|0 5|100 -1| 0| -1|100 |100 NaN|100 Infinity|100 1e3|100 0x10'.split(
      '|',
    )
    const huge = ['100 9223372036854775807', '9007199254740991 5', `100 ${'9'.repeat(100_000)}`]
    for (const figures of [...nothing, ...huge])
      for (const star of [
        'x-ratelimit-*-requests',
        'anthropic-ratelimit-tokens-*',
        'x-ratelimit-*-req-minute',
      ]) {
        const [limit, remaining] = figures.split(' ')
        expect([figures, read(headersOf([[star, limit || null, remaining!, '0']]))]).toEqual([figures, []])
      }
    expect(read({})).toEqual([])
  })

  it('keep what is left where the rest cannot be read', () => {
    expect(read(headersOf([['x-ratelimit-*-tokens', 'many', '7', 'tomorrow']]))).toEqual([
      of('tokens', null, 7),
    ])
    expect(read({ ratelimit: '"a";r=7;t=x', 'ratelimit-policy': '"a";q=;w=-3' })).toEqual([
      of('requests', null, 7),
    ])
  })

  it('are at most eight, however many are named', () => {
    const numbers = Array.from({ length: 5000 }, (_, index) => index + 1)
    expect(read({ ratelimit: numbers.map(one => `"${one}";r=${one}`).join() })).toHaveLength(8)
    expect(
      read({ 'x-ratelimit-remaining': numbers.join(), 'x-ratelimit-limit': numbers.join() }),
    ).toHaveLength(8)
    expect(reportedLimits(name => String(name.length), NOW)).toHaveLength(8)
  })

  it('are read in no time and without an error, whatever every header is', () => {
    const hostile = ['"', '\\"', '"a";', '1;w=1,', 'r=1;', '=\n', '__proto__=1;', ...';,= a1-\n\0𝟙']
    const began = performance.now()
    for (const piece of hostile)
      for (const text of [
        piece,
        piece.repeat(100_000),
        `"x";r=1${piece.repeat(5000)}`,
        `1${piece.repeat(5000)}x`,
      ])
        for (const limit of reportedLimits(() => text, NOW)) expect(limit.left).toBeGreaterThanOrEqual(0)
    expect(performance.now() - began).toBeLessThan(2000)
    expect(reportedLimits(() => '5', Number.NaN).length).toBeGreaterThan(0)
  })
})
