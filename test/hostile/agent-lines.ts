// Makes what an agent may answer to an item: lines of the protocol, lines that nearly are, and bytes that no agent means.

import fc from 'fast-check'
import { STEP_KINDS } from '../../shared/items/vocabulary.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

/** An agent's lines about one item; `@seq` and `@attempt` stand for the item's own. */
export interface Said {
  /** In its immediate answer. */
  openly: Uint8Array[]
  /** By POST, if it may answer later. */
  later: Uint8Array[]
}

/** How an answer of either protocol begins. */
export interface Head {
  status: number
  contentType: string
}

const utf8 = new TextEncoder()

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const around = (bound: number) => [bound - 1, bound, bound + 1].map(String)

/** JSON texts of numbers at the bounds of what carries and stores them. */
const NUMBERS = [
  ...['-1', '-0', '0', '1', '0.5', '1e-320', '1e300', '-1e300', '1e999', '-1e999', '12345678901234567890123'],
  ...[15, 31, 32, 53, 63].flatMap(bits => around(2 ** bits)),
  ...[LIMITS.step_tokens, LIMITS.step_duration_ms, LIMITS.items_per_run].flatMap(around),
]
/** Texts that a store does not take, names that every object has, and lengths around the bounds. */
const TEXTS = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\u001e',
    '\u001f',
    '\u2028',
    '\ufeff',
    '\\',
    '"',
    "'; drop table items--",
  ],
  ...[
    'constructor',
    '__proto__',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'NaN',
    'Infinity',
    'null',
    'later',
  ],
  ...[
    '1',
    '2026-02-30T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '10000-01-01T00:00:00Z',
  ],
  ...[
    '0001-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    'hold',
    'hold#2',
    'budget_exceeded',
    'invalid_input',
  ],
  ...['k'.repeat(LIMITS.step_key_characters), 'k'.repeat(LIMITS.step_key_characters + 1)],
  ...['€'.repeat(LIMITS.error_message_characters + 1), '\\u0000'.repeat(100), '😀'.repeat(300)],
].map(text => JSON.stringify(text))
/** All other values, among them objects that cannot be made into a text. */
const VALUES = [
  ...['null', 'true', 'false', '[]', '{}', '[null]', '[{}]', '{"toString":1,"valueOf":1}', '{"length":1e9}'],
  ...['{"__proto__":{"type":"result"}}', '{"constructor":{"name":1}}', '{"a":1,"a":2}', '{"toJSON":1}'],
  ...['{"":{"":{"":1}}}', '{"cut":true,"bytes":-1,"head":1}', '{"cut":true,"bytes":1e999,"head":"["}'],
  ...[deep(LIMITS.json_depth), deep(LIMITS.json_depth + 1), deep(20_000)],
]
/** Longer than the bounds of a payload, an output and a line. */
const LONG = [LIMITS.step_payload_bytes, LIMITS.item_output_bytes, LIMITS.agent_line_bytes].map(bytes =>
  JSON.stringify('x'.repeat(bytes)),
)

const hostile = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 30, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 20, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 10, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(value => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
)

const places = { seq: '@seq', attempt: '@attempt' }
const usage = {
  model: 'test-model',
  input_tokens: 1000,
  output_tokens: 10,
  cached_input_tokens: 5,
  cache_write_tokens: 5,
  input_audio_tokens: 1,
  output_audio_tokens: 1,
  images: 0,
  searches: 0,
  service_tier: 'batch',
}
const completion = {
  id: 'c',
  object: 'chat.completion',
  model: 'gpt-5-mini',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'An answer.' } }],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
}
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'An answer.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 3 },
}
const stepOf = (kind: string, more: object) => ({
  type: 'step',
  ...places,
  step: {
    key: `${kind}#${Math.abs(JSON.stringify(more).length) % 3}`,
    kind,
    name: 'a step',
    input: { messages: [{ role: 'user', content: 'A question?' }] },
    started_at: '2026-01-01T00:00:00Z',
    duration_ms: 1,
    ...more,
  },
})

/** Correct lines, some of which are then spoiled in one place. */
const STEPS = [
  ...STEP_KINDS.map(kind => stepOf(kind, { output: { ok: true } })),
  stepOf('llm_call', { output: 'An answer.', usage }),
  stepOf('llm_call', { output: completion }),
  stepOf('llm_call', { output: [message] }),
  stepOf('llm_call', {
    output: message,
    answer: { text: 'An answer.', finish: 'stop', model: 'test-model', usage },
  }),
  stepOf('llm_call', { output: null, answer: { unread: 'Nobody knows.', refusal: 'No.', tool_calls: true } }),
  stepOf('tool_call', { error: { code: 'tool_call_error', message: 'It went wrong.' } }),
  stepOf('step', { reused: true }),
]
const ENDS = [
  { type: 'result', ...places, output: { label: 'billing' } },
  { type: 'result', ...places, degraded: 'Not sure.', output: [1] },
  { type: 'result', ...places, schema_error: 'label is missing', output: null },
  { type: 'error', ...places, error: { code: 'agent_error', message: 'It went wrong.', retryable: false } },
  { type: 'error', ...places, error: { code: 'tool_call_error', message: 'It went wrong again.' } },
  { type: 'yield', ...places },
]
const HOLD = [
  stepOf('step', { key: 'hold', output: { held: true } }),
  { type: 'hold', ...places, reason: 'A person must look.' },
]
const BESIDE = [{ type: 'heartbeat' }, { type: 'later' }]

/** The paths to all values of a line. */
function placesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...path, name]))]
}

const MARK = '@hostile@'

function spoiled(line: object): fc.Arbitrary<string> {
  const change = fc.record({
    path: fc.constantFrom(...placesOf(line).filter(path => path.length > 0)),
    how: fc.constantFrom('replace', 'replace', 'replace', 'replace', 'leave out', 'twice', 'beside'),
    value: hostile,
  })
  return change.map(({ path, how, value }) => {
    const copy = structuredClone(line) as Record<string, unknown>
    const last = path.at(-1)!
    const parent = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
    if (how === 'leave out') delete parent[last]
    else if (how === 'replace') parent[last] = MARK
    else parent[how === 'beside' ? 'toString' : MARK] = MARK
    const text = JSON.stringify(copy)
    // JSON.stringify cannot write a repeated name, so that is put in the place of the mark.
    return text.replace(`"${MARK}":`, () => `${JSON.stringify(last)}:`).replace(`"${MARK}"`, () => value)
  })
}

const whole = (line: object) => fc.constant(JSON.stringify(line))

/** A line, spoiled in `spoiledOf10` of ten cases. */
const lineOf = (lines: readonly object[], spoiledOf10: number): fc.Arbitrary<string> =>
  fc
    .constantFrom(...lines)
    .chain(line =>
      fc.oneof(
        { weight: 10 - spoiledOf10, arbitrary: whole(line) },
        { weight: spoiledOf10, arbitrary: spoiled(line) },
      ),
    )

/** What is no line: cut, glued together, in no encoding, or of no kind. */
const garbage: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc
    .constantFrom(
      ...[
        '',
        ' ',
        '{',
        '[]',
        'null',
        '7',
        '"result"',
        '{}',
        '{"type":"song"}',
        '{"type":null}',
        '\ufeff{"type":"heartbeat"}',
      ],
      ...[
        '{"type":"result"}',
        '{"type":"__proto__","seq":@seq,"attempt":@attempt}',
        '{"type":"result","seq":@seq}',
      ],
      ...['{"type":"song","seq":@seq,"attempt":@attempt}', '{"type":"result","seq":@seq,"attempt":@attempt}'],
      '{"type":"result","seq":@seq,"attempt":@attempt,"output":1,"output":2}',
      '{"type":"result","seq":@seq,"attempt":@attempt,"output":1,"type":"result"}',
      '{"type":"result","seq":@seq,"attempt":@attempt,"output":1},{"output":2}',
      '{"type":"result","seq":@seq,"attempt":@attempt,"output":1}}',
      '{"type":"heartbeat"}\r\n{"type":"result","seq":@seq,"attempt":@attempt,"output":1}\r',
    )
    .map(text => utf8.encode(text)),
  fc.uint8Array({ maxLength: 60 }).map(bytes => bytes.filter(byte => byte !== 0x0a)),
  fc.constantFrom(...LONG).map(text => utf8.encode(`{"type":"heartbeat","more":${text}}`)),
  fc
    .tuple(lineOf([...STEPS, ...ENDS], 0), fc.nat(400))
    .map(([text, at]) => utf8.encode(text.slice(0, at % text.length))),
  fc.tuple(lineOf(ENDS, 0), fc.nat(40)).map(([text, at]) => {
    const bytes = utf8.encode(text)
    bytes[at % bytes.length] = 0xff
    return bytes
  }),
)

const bytesOf = (line: fc.Arbitrary<string>) => line.map(text => utf8.encode(text))

/** Lines about an item, which usually end it. */
const lines = (garbageOf100: number): fc.Arbitrary<Uint8Array[]> =>
  fc
    .record({
      steps: fc.array(bytesOf(lineOf(STEPS, 4)), { maxLength: 3 }),
      beside: fc.array(bytesOf(lineOf(BESIDE, 2)), { maxLength: 1 }),
      end: fc.oneof(
        { weight: 8, arbitrary: bytesOf(lineOf(ENDS, 5)).map(end => [end]) },
        { weight: 1, arbitrary: fc.tuple(bytesOf(lineOf([HOLD[0]!], 3)), bytesOf(lineOf([HOLD[1]!], 3))) },
        { weight: 1, arbitrary: fc.constant([]) },
      ),
      after: fc.array(bytesOf(lineOf([...STEPS, ...ENDS], 5)), { maxLength: 1 }),
      garbage: fc.oneof(
        { weight: 100 - garbageOf100, arbitrary: fc.constant([]) },
        { weight: garbageOf100, arbitrary: garbage.map(one => [one]) },
      ),
      order: fc.constantFrom(
        'as it should be',
        'as it should be',
        'as it should be',
        'turned about',
        'twice',
      ),
    })
    .map(({ steps, beside, end, after, garbage, order }) => {
      const inOrder = [...steps, ...garbage, ...end, ...after, ...beside]
      if (order === 'turned about') return inOrder.toReversed()
      return order === 'twice' ? [...inOrder, ...inOrder] : inOrder
    })

export const said: fc.Arbitrary<Said> = fc.record({ openly: lines(15), later: lines(15) })

/** The body of a plain answer: any JSON, or none. */
export const plain: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: bytesOf(hostile) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        '',
        ' ',
        '{',
        '1,2',
        '1}',
        '1,"output":2',
        '1,"degraded":"No."',
        '"a","type":"later"',
        '\ufeff1',
        'NaN',
        '<html>',
      )
      .map(text => utf8.encode(text)),
  },
  { weight: 1, arbitrary: garbage },
)

export const head: fc.Arbitrary<Head> = fc.record({
  status: fc.oneof(
    { weight: 20, arbitrary: fc.constant(200) },
    {
      weight: 10,
      arbitrary: fc.constantFrom(202, 204, 206, 299, 301, 304, 400, 404, 408, 413, 429, 500, 503, 599),
    },
  ),
  contentType: fc.oneof(
    { weight: 20, arbitrary: fc.constant('application/x-ndjson') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        'application/json',
        'application/x-ndjson; charset=latin1',
        'text/html',
        '\0',
      ),
    },
  ),
})

/** The line with the seq and the attempt of this item. */
export function about(bytes: Uint8Array, { seq, attempt }: { seq: number; attempt: number }): Uint8Array {
  if (bytes.indexOf(0x40) < 0) return bytes // holds no @
  // One byte a character, so that invalid UTF-8 stays as it is.
  const text = Buffer.from(bytes).toString('latin1')
  return Buffer.from(
    text.replaceAll(/"?@seq"?/g, String(seq)).replaceAll(/"?@attempt"?/g, String(attempt)),
    'latin1',
  )
}
