// The rules that the Python package has written again, beside those of the server. Guarantee: the bounds are the same numbers, and a
// refusal, a header of limits, a cron and a text with secrets are read the same way.

import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { maskOf } from '../../kernel/masking.ts'
import { momentIn, retryAfterMs } from '../../pacing/rules/moment.ts'
import { reportedLimits } from '../../pacing/rules/reported-limits.ts'
import { checkCron } from '../../schedules/rules/cron.ts'
import { outlookOf, spreadOver } from '../../submission/rules/pilot.ts'
import { classify } from '../../upstreams/rules/classify.ts'

/** What an expression of Python is, with `given` as its input. */
function python<T>(imports: string, expression: string, given: unknown = null): T {
  const program = `import json, sys\n${imports}\ngiven = json.load(sys.stdin)\nprint(json.dumps(${expression}))`
  const env = { ...process.env, PYTHONPATH: import.meta.dirname }
  const options = { encoding: 'utf8', env, input: JSON.stringify(given) } as const
  const { status, stdout, stderr } = spawnSync(process.env.PYTHON ?? 'python3', ['-c', program], options)
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as T
}

test('the bounds', () => {
  const theirs = python<Record<string, unknown>>(
    'from assay import limits',
    '{name: value for name, value in vars(limits).items() if name.isupper()}',
  )
  expect(theirs).toMatchObject({
    LEASE_MS: LIMITS.lease_ms,
    HEARTBEAT_MS: LIMITS.agent_heartbeat_ms,
    TIMEOUT_SECONDS: LIMITS.agent_timeout_seconds.default,
    MOST_TIMEOUT_SECONDS: LIMITS.agent_timeout_seconds.max,
    STEPS: LIMITS.agent_steps.default,
    MOST_STEPS: LIMITS.agent_steps.max,
    MOST_RETRIES: LIMITS.agent_retries,
    MOST_SCHEDULES: LIMITS.agent_schedules,
    MOST_TRIGGERS: LIMITS.agent_triggers,
    MOST_GENERATORS: LIMITS.agent_generators,
    MOST_MODELS: LIMITS.agent_models,
    MOST_NAMED_LIMITS: LIMITS.named_limits,
    NAME_CHARACTERS: LIMITS.name_characters,
    SLUG_CHARACTERS: LIMITS.slug_characters,
    DESCRIPTION_CHARACTERS: LIMITS.description_characters,
    CRON_CHARACTERS: LIMITS.cron_characters,
    STEP_KEY_CHARACTERS: LIMITS.step_key_characters,
    ERROR_CHARACTERS: LIMITS.error_message_characters,
    HOST_CHARACTERS: LIMITS.upstream_host_characters,
    ITEM_INPUT_BYTES: LIMITS.item_input_bytes,
    ITEM_OUTPUT_BYTES: LIMITS.item_output_bytes,
    STEP_PAYLOAD_BYTES: LIMITS.step_payload_bytes,
    CUT_HEAD_BYTES: LIMITS.step_cut_head_bytes,
    OUTLINE_TEXT_CHARACTERS: LIMITS.outline_text_characters,
    OUTLINE_ENTRIES: LIMITS.outline_entries,
    OUTLINE_VALUES: LIMITS.outline_values,
    OUTLINE_DEPTH: LIMITS.outline_depth,
    REPORTED_TEXT_CHARACTERS: LIMITS.reported_text_characters,
    SEEN_ANSWERS: LIMITS.seen_answers,
    UPSTREAM_LOCAL_MS: LIMITS.upstream_local_ms,
    UPSTREAM_REPORT_MS: LIMITS.upstream_report_ms,
    GENERATOR_PIECE: LIMITS.generator_piece_characters,
    ANSWER_PIECE: LIMITS.answer_piece_characters,
    ANSWER_RETRY_MS: [LIMITS.answer_retry_ms.base, LIMITS.answer_retry_ms.max],
    WEBHOOK_TOLERANCE_S: LIMITS.webhook_tolerance_s,
    BODY_BYTES: LIMITS.agent_body_bytes,
    UNPROVEN_BYTES: LIMITS.agent_unproven_bytes,
    UNPROVEN_SPARE_BYTES: LIMITS.agent_unproven_spare_bytes,
    SMALL_BODY_BYTES: LIMITS.agent_small_body_bytes,
    ARRIVAL_S: LIMITS.agent_arrival_ms / 1000,
    PATIENCE_SECONDS: [LIMITS.patience_seconds.min, LIMITS.patience_seconds.max],
  })
})

test('the bound of runs that are compared', () => {
  expect(python('from assay.client import diff', 'diff.MOST_ITEMS')).toBe(LIMITS.diffed_items)
})

test('the rows of a pilot, and what the rest is like', () => {
  const sizes = [
    [10, 3],
    [200, 50],
    [6000, 50],
    [51, 50],
    [7, 1],
    [100_000, 1000],
  ] as const
  const runs = [
    {
      cost_usd: 0.00617,
      total_items: 50,
      completed: 48,
      failed: 2,
      degraded_count: 3,
      budget_exceeded_count: 1,
      unpriced_item_count: 0,
    },
    {
      cost_usd: 0.02,
      total_items: 3,
      completed: 0,
      failed: 0,
      degraded_count: 0,
      budget_exceeded_count: 0,
      unpriced_item_count: 2,
    },
    {
      cost_usd: 0,
      total_items: 7,
      completed: 7,
      failed: 0,
      degraded_count: 0,
      budget_exceeded_count: 0,
      unpriced_item_count: 0,
    },
    {
      cost_usd: 6,
      total_items: 10,
      completed: 10,
      failed: 0,
      degraded_count: 0,
      budget_exceeded_count: 0,
      unpriced_item_count: 0,
    },
  ].map(run => ({
    ...run,
    id: 'a',
    started_at: '2026-03-02T00:00:00.123Z',
    finished_at: run.completed === 0 ? null : '2026-03-02T00:01:07.456Z',
  }))
  const now = Date.UTC(2026, 2, 2, 0, 5)
  const [spread, outlooks] = python<[number[][], unknown[]]>(
    'from assay.client.pilot import outlook_of, spread_over',
    `[[[n for takes in [spread_over(rows, wanted)] for n in range(rows) if takes(n)] for rows, wanted in given["sizes"]],
      [outlook_of(run, 5950, budget, ${now / 1000}) for run in given["runs"] for budget in (None, 500)]]`,
    { sizes, runs },
  )
  expect(spread).toEqual(
    sizes.map(([rows, wanted]) => Array.from({ length: rows }, (_, n) => n).filter(spreadOver(rows, wanted))),
  )
  expect(outlooks).toEqual(
    runs.flatMap(run => [undefined, 500].map(budget => outlookOf(run, 5950, budget, now))),
  )
})

describe('refusals', () => {
  /** A status at which providers use the codes of a fault. */
  const STATUSES: Record<string, number> = {
    quota: 429,
    rate: 429,
    rejected: 400,
    overloaded: 503,
    cut: 408,
    refused: 401,
  }
  const known = python<[string, string][]>(
    'from assay.faults import CODES',
    '[[fault, code] for fault, codes in CODES for code in codes.split()]',
  )

  test('each code means the same', () => {
    const differing = known.filter(([fault, code]) => {
      const body = JSON.stringify({ error: { message: 'no', code } })
      const answer = {
        status: STATUSES[fault]!,
        header: () => null,
        body,
        sent: true,
        took_ms: 0,
        is_model_call: true,
      }
      return classify(answer, 0)?.fault !== fault
    })
    expect(differing).toEqual([])
  })
})

const HEADERS: Record<string, string>[] = [
  {
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
    'x-ratelimit-reset-requests': '120ms',
    'x-ratelimit-limit-tokens': '200000',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '6m0s',
  },
  {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': '2026-03-29T01:31:00Z',
    'anthropic-ratelimit-input-tokens-limit': '40000',
    'anthropic-ratelimit-input-tokens-remaining': '39000',
  },
  { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1774747860' },
  {
    'x-ratelimit-limit-requests-day': '14400',
    'x-ratelimit-remaining-requests-day': '14399',
    'x-ratelimit-reset-requests-day': '4832.123456789012',
  },
  { ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' },
  { ratelimit: 'limit=100, remaining=7, reset=5', 'ratelimit-policy': '100;w=60' },
  {
    'x-ratelimit-remaining-requests': '-1',
    'x-ratelimit-limit-requests': '0',
    'x-ratelimit-remaining-tokens': '0',
  },
  { 'retry-after': '7' },
  { 'retry-after': 'Sun, 29 Mar 2026 01:30:09 GMT' },
  { 'retry-after-ms': '1500', 'retry-after': '2' },
  { 'retry-after': '99999999' },
  {},
]
const NOW_MS = Date.UTC(2026, 2, 29, 1, 30)

test('limits and moments in headers', () => {
  const imports = 'from assay.limit_headers import reported_limits, retry_after_ms'
  const found = python<[unknown[], number | null][]>(
    imports,
    `[[reported_limits(one.get, ${NOW_MS / 1000}), retry_after_ms(one.get, "", ${NOW_MS / 1000})] for one in given]`,
    HEADERS,
  )
  for (const [at, headers] of HEADERS.entries()) {
    const header = (name: string) => headers[name] ?? null
    expect(found[at], JSON.stringify(headers)).toEqual([
      reportedLimits(header, NOW_MS),
      retryAfterMs({ header, body: '' }, NOW_MS),
    ])
  }
})

test('moments in texts', () => {
  const texts = ['2', '88ms', '2m59.56s', '20 seconds', '1 minute 5 seconds', 'soon', '-1', '1774747800', '']
  const found = python(
    'from assay.limit_headers import moment_in',
    '[moment_in(one, 0.0) for one in given]',
    texts,
  )
  expect(found).toEqual(texts.map(text => momentIn(text, 0)))
})

test('which crons there are', () => {
  const crons =
    '* * * * *|*/15 0-6,22 1,15 JAN-MAR 7|60 * * * *|*/60 * * * *|5/10 * * * *|0 0 L * *|0 0 * * FRI-MON|0 0 30 2 *|0 0 30 2 1|0 0 31 4,6 *|@daily|0 0 0 * * *|* * * *||0 0 ? * *|0 0 * * 1#2|H * * * *|0 0 * * 5-7|0 24 * * *|0 0 0 * *|0 0 * 13 *|00 00 01 01 00|0 0 * JANUARY *|*/0 * * * *|1-5,3 * * * *|TZ=UTC 0 0 * * *'.split(
      '|',
    )
  const found = python<(string | null)[]>(
    'from assay.cron import cron_problem',
    '[cron_problem(one) for one in given]',
    crons,
  )
  const theirs = crons.map(cron => {
    try {
      checkCron(cron)
      return true
    } catch {
      return false
    }
  })
  expect(crons.filter((_, at) => (found[at] === null) !== theirs[at])).toEqual([])
})

test('secrets in texts and in JSON', () => {
  const env = {
    A_KEY: 'p"w/é\\abcdefgh',
    B_TOKEN: '123456789012',
    C_SECRET: 'line one of a long one 1\nline two of a long one 2',
    SHORT_KEY: 'abc',
    LISTED: 'listed by its name',
    ASSAY_SECRETS: 'LISTED',
  }
  const values = [
    env.A_KEY,
    env.B_TOKEN,
    'line two of a long one 2',
    `say ${env.LISTED}`,
    encodeURIComponent(env.A_KEY),
  ]
  const texts = [
    ...values,
    JSON.stringify(values),
    JSON.stringify({ [env.A_KEY]: 1, pin: 123456789012 }),
    JSON.stringify(JSON.stringify(values)),
  ]
  const found = python(
    'from assay.mask import Mask',
    '[[Mask(given["env"]).text(one) for one in given["texts"]], [Mask(given["env"]).json(json.dumps(one)) for one in given["texts"]]]',
    { env, texts },
  ) as [string[], string[]]
  const mask = maskOf(env)
  expect(found[0]).toEqual(texts.map(text => mask.text(text)))
  expect(found[1].map(text => JSON.parse(text))).toEqual(
    texts.map(text => JSON.parse(mask.json(JSON.stringify(text)))),
  )
})
