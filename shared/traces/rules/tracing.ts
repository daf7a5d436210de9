// Maps a run to a trace, and its parts to spans. Guarantee: ids are a function of the run, the item, its attempt and
// the step, so that any writer of a span knows its parent's id without a query, and a span written twice is one span.

import { LIMITS } from '../../kernel/limits.ts'

export interface SpanPlace {
  trace_id: string
  span_id: string
}

/** What a caller says about the span that it calls from. */
export interface CallerSpan extends SpanPlace {
  sampled: boolean
}

export const traceIdOf = (runId: string) => runId.replaceAll('-', '')

/** The span's id is never zero, which is invalid, because it begins with the UUID's variant. */
export const runSpan = (runId: string): SpanPlace => {
  const trace_id = traceIdOf(runId)
  return { trace_id, span_id: trace_id.slice(16) }
}

// 24 bits hold LIMITS.items_per_run, 16 bits LIMITS.attempts_per_item and LIMITS.agent_steps. The span ids of runs
// begin with the digit 8 or more, so they differ from these.
const spanId = (seq: number, attempt: number, stepNo: number) =>
  `01${hex(seq, 6)}${hex(attempt, 4)}${hex(stepNo, 4)}`

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0')

export const attemptSpanId = (seq: number, attempt: number) => spanId(seq, attempt, 0)

/** Steps are counted from 1 over all attempts of an item. */
export const stepSpanId = (seq: number, attempt: number, stepNo: number) => spanId(seq, attempt, stepNo)

/**
 * Whether an item is in its run's trace however it ends: the first hundred, every hundredth of the first ten thousand,
 * and every ten-thousandth, so 1,198 of ten million. Its number decides, so every attempt and every process agree.
 */
export function isTraced(seq: number): boolean {
  const n = LIMITS.traced_items
  return seq <= n || seq % (seq <= n * n ? n : n * n) === 0
}

/** Whether a trace is in this share of all traces, by its random bits, which collectors use as well. */
export function isWithin(share: number, traceId: string): boolean {
  return Number.parseInt(traceId.slice(18, 24), 16) >= (1 - share) * 2 ** 24
}

const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The span in a `traceparent` header; undefined when it is invalid, which is no reason to refuse a request. */
export function readTraceparent(header: string | null): CallerSpan | undefined {
  const [, version, trace_id, span_id, flags, more] = TRACEPARENT.exec(header ?? '') ?? []
  if (flags === undefined || (version === '00' && more !== undefined)) return undefined
  return { trace_id: trace_id!, span_id: span_id!, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const writeTraceparent = ({ trace_id, span_id, sampled }: CallerSpan) =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`
