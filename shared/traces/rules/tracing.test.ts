import { expect, it } from 'vitest'
import { newRunId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import {
  attemptSpanId,
  isTraced,
  isWithin,
  readTraceparent,
  runSpan,
  stepSpanId,
  writeTraceparent,
} from './tracing.ts'

const RUN = '019aa7f0-1234-7abc-8def-567800000000'

it('span ids have the right length and are unique up to the limits of runs, attempts and steps', () => {
  const { items_per_run, attempts_per_item, agent_steps } = LIMITS
  const ids = [
    runSpan(RUN).span_id,
    ...[1, items_per_run].flatMap(seq =>
      [1, attempts_per_item].flatMap(attempt => [
        attemptSpanId(seq, attempt),
        stepSpanId(seq, attempt, 1),
        stepSpanId(seq, attempt, agent_steps.max),
      ]),
    ),
  ]
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
})

it('a bounded number of items of a run is traced, including the first ones, whatever its length', () => {
  const traced = (items: number) => {
    let n = 0
    for (let seq = 1; seq <= items; seq++) if (isTraced(seq)) n++
    return n
  }
  expect([1, 100, 101, 10_000].map(traced)).toEqual([1, 100, 100, 199])
  expect(traced(LIMITS.items_per_run)).toBe(1198)
})

it('a sampled share of runs has that size, and a smaller share is part of a larger one', () => {
  let n = 0
  const random = (bytes: Uint8Array) => {
    for (let i = 0; i < bytes.length; i++) {
      n = (n * 1103515245 + 12345) % 2 ** 31
      bytes[i] = n >> 16
    }
  }
  const ids = Array.from(
    { length: 4000 },
    (_, i) => runSpan(newRunId(1_790_000_000_000 + i, random)).trace_id,
  )
  const within = (share: number) => ids.filter(id => isWithin(share, id))
  expect(within(0)).toEqual([])
  expect(within(1)).toEqual(ids)
  expect(within(0.1).length / ids.length).toBeCloseTo(0.1, 1)
  expect(within(0.5)).toEqual(expect.arrayContaining(within(0.1)))
})

it('a traceparent is read by the rules of W3C, and an invalid one is ignored', () => {
  const span = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' }
  const text = `00-${span.trace_id}-${span.span_id}-01`
  expect(readTraceparent(text)).toEqual({ ...span, sampled: true })
  expect(writeTraceparent({ ...span, sampled: true })).toBe(text)
  expect(readTraceparent(text.replace(/1$/, '0'))).toEqual({ ...span, sampled: false })
  expect(readTraceparent(`cc${text.slice(2)}-later`)).toEqual({ ...span, sampled: true })
  for (const none of [
    null,
    '',
    'x',
    `${text}-more`,
    `ff${text.slice(2)}`,
    text.toUpperCase(),
    text.replace(span.trace_id, '0'.repeat(32)),
    text.replace(span.span_id, '0'.repeat(16)),
  ])
    expect(readTraceparent(none)).toBeUndefined()
})
