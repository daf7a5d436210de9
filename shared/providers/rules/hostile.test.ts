// Replaces parts of answers of every known shape by something else: the answer is read or reported as unread, nothing
// throws, and no cost is below zero.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStep, stepRow } from '../../grading/rules/step-row.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { LIST_PRICES } from '../../prices/rules/price-book.ts'
import type { StepReport } from '../../protocol/rules/protocol.ts'
import { readCompletion } from './completion.ts'
import { readAnswer } from './conversation.ts'
import { ANSWERS } from './sample-answers.ts'
import { SHAPES } from './shapes.ts'

const nested = (depth: number) => JSON.parse(`${'{"content":'.repeat(depth)}1${'}'.repeat(depth)}`)
const BAD: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '9',
  '',
  [],
  {},
  [null],
  { toString: 1, valueOf: 1 },
  { type: 'text', text: {} },
  nested(1_000),
  '\ud800'.repeat(100),
]

const rowOf = (output: unknown) => {
  const report: StepReport = {
    key: 'k',
    kind: 'llm_call',
    name: 'gpt-4o',
    output,
    started_at: '2026-01-01T00:00:00Z',
    duration_ms: 1,
  }
  return stepRow(readStep(report, JSON.stringify(report)), { seq: 1, attempt: 1, step_no: 1 }, LIST_PRICES)
}

const DEEPEST = 8

/** Paths of the parts of a value, itself included. */
function* pathsOf(value: unknown, depth = 0): Generator<string[]> {
  yield []
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return
  for (const [name, part] of Object.entries(value))
    for (const path of pathsOf(part, depth + 1)) yield [name, ...path]
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  if (typeof value !== 'object' || value === null) return value
  const part = replaced((value as Record<string, unknown>)[name], rest, by)
  return Array.isArray(value) ? value.with(Number(name), part) : { ...value, [name]: part }
}

function holds(output: unknown): void {
  const row = rowOf(output)
  expect(row.graded && row.unread !== null).toBe(false)
  expect(row.cost_micro).toBeGreaterThanOrEqual(0)
  for (const count of [row.input_tokens, row.output_tokens]) {
    expect(Number.isInteger(count) && count >= 0).toBe(true)
    expect(count).toBeLessThanOrEqual(LIMITS.step_tokens)
  }
  // This text stands for an exception that was caught.
  expect(row.unread).not.toBe('The output could not be read.')
  expect(() => readCompletion(output)).not.toThrow()
  expect(() => readAnswer(output)).not.toThrow()
}

const COUNT = /(?:tokens?|_count|TokenCount|Tokens|_units|seconds|InSeconds|_requests|cache_read)$/
/** The paths of the counts in an answer that are read. */
const countsOf = (answer: object) =>
  [...pathsOf(answer)].filter(path => COUNT.test(path.at(-1) ?? '') && typeof at(answer, path) === 'number')

/** Replaces a list by its first entry, repeated and with other fields. */
const replacedAll = (answer: object, name: string, times: number, by: object) => {
  const [first] = (answer as Record<string, object[]>)[name]!
  return { ...answer, [name]: Array.from({ length: times }, () => ({ ...first, ...by })) }
}

const at = (value: unknown, path: readonly string[]) =>
  path.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], value)

describe('an answer of a known shape', () => {
  const all = Object.entries(ANSWERS)

  it('is in the samples for every shape, and is read', () => {
    const known = SHAPES.filter(shape => all.some(([, answer]) => shape.read({ ...answer }, () => undefined)))
    // LlamaIndex's answer is read from the provider's own answer within it.
    expect(SHAPES.length - known.length).toBeLessThanOrEqual(1)
    for (const [name, answer] of all) expect([name, rowOf(answer).unread]).toEqual([name, null])
  })

  it.each(all)('of %s is read, or is unread with the reason, if any part of it is spoiled', (_, answer) => {
    for (const path of pathsOf(answer)) for (const bad of BAD) holds(replaced(answer, path, bad))
  })

  const counted = all.map(([name, answer]) => [name, answer, countsOf(answer)] as const)

  it('has counts in its sample, except where the calls are billed by the content', () => {
    const uncounted = counted.filter(([, , counts]) => counts.length === 0).map(([name]) => name)
    expect(uncounted).toEqual(['LlamaIndex', 'Vercel AI SDK images', 'Vercel AI SDK ranking'])
  })

  it.each(counted)('of %s with an invalid count is unread, with the count and why', (_, answer, counts) => {
    for (const path of counts)
      for (const bad of [-1, 1e300]) {
        const row = rowOf(replaced(answer, path, bad))
        expect([path, bad, row.unread]).toEqual([
          path,
          bad,
          expect.stringMatching(/ (?:is|add up to) (?:-1|1e\+300)/),
        ])
        expect(row).toMatchObject({ unpriced: true, graded: false })
      }
  })

  const most = { input_tokens: LIMITS.step_tokens, output_tokens: LIMITS.step_tokens }
  const agents = ANSWERS['OpenAI Agents']
  it.each<[string, object]>([
    ['Anthropic', { ...ANSWERS.Anthropic, usage: { ...most, cache_read_input_tokens: 1 } }],
    ['LangGraph', replacedAll(ANSWERS.LangGraph!, 'messages', 30, { usage_metadata: most })],
    [
      'Vercel AI SDK',
      replacedAll({ steps: (ANSWERS['Vercel AI SDK'] as { steps: object[] }).steps }, 'steps', 30, {
        usage: { inputTokens: most.input_tokens },
      }),
    ],
    [
      'OpenAI Agents',
      { raw_responses: Array.from({ length: 30 }, () => ({ ...agents, usage: { requests: 1, ...most } })) },
    ],
    [
      'Vertex embeddings',
      replacedAll(ANSWERS['Vertex embeddings']!, 'predictions', 30, {
        embeddings: { values: [0.1], statistics: { token_count: most.input_tokens } },
      }),
    ],
  ])('of %s whose counts add up to more than a call can have is unread, and counts nothing', (_, answer) => {
    const row = rowOf(answer)
    expect(row.unread).toMatch(/^input_tokens add up to \d+, which is more than a call can have/)
    expect(row).toMatchObject({ input_tokens: 0, unpriced: true, graded: false })
    holds(answer)
  })

  it('of a graph with a wrong count in an earlier message is unread', () => {
    const [said] = (ANSWERS.LangGraph as { messages: object[] }).messages
    const bad = { ...said, usage_metadata: { input_tokens: '9', output_tokens: 3 } }
    expect(rowOf({ messages: [bad, said] }).unread).toMatch(/input_tokens is "9"/)
  })

  it.each([1e12, 1e300, -5])('of a transcript of %d seconds is unread and costs nothing', seconds => {
    const row = rowOf({ ...ANSWERS['Vercel AI SDK transcript'], durationInSeconds: seconds })
    expect(row.unread).toMatch(/length of the sound is .*, which is no number of seconds/)
    expect(row).toMatchObject({ cost_micro: 0, unpriced: true })
  })

  it('of any shape is read or unread if several parts are spoiled or taken from another one', () => {
    const answer = fc.constantFrom(...all.map(([, answer]) => answer))
    const part = fc.oneof(fc.constantFrom(...BAD), answer, fc.jsonValue({ maxDepth: 4 }))
    const changes = fc.array(fc.tuple(fc.nat(), part), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(answer, changes, (answer, changes) => {
        let output: unknown = answer
        for (const [nth, by] of changes) {
          const paths = [...pathsOf(output)].slice(0, 200)
          output = replaced(output, paths[nth % paths.length]!, by)
        }
        holds(output)
      }),
      { seed: 13, numRuns: 500 },
    )
  })
})
