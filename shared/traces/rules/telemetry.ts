// The port that reports work in progress to a collector: spans of traces, and measurements. A host without an exporter
// has no such port, and then no spans or measurements are made.

import type { CallerSpan, SpanPlace } from './tracing.ts'

export type Attributes = Record<string, string | number | boolean>

/** A span that has ended. */
export interface Span extends SpanPlace {
  parent_id: string | null
  name: string
  kind: 'internal' | 'server' | 'client' | 'producer'
  start_ms: number
  end_ms: number
  attributes: Attributes
  /** What went wrong; null when nothing did. */
  error: string | null
  links: readonly SpanPlace[]
}

export interface Instrument {
  kind: 'counter' | 'histogram'
  unit: string
  help: string
  /** Upper ends of a histogram's buckets. */
  buckets?: readonly number[]
}

/** The measurements. None of their attributes is a name or an id, so the number of series is bounded. */
export const INSTRUMENTS = {
  'assay.items.settled': {
    kind: 'counter',
    unit: '{item}',
    help: 'Items whose attempt ended them, by assay.status and assay.outcome.',
  },
  'assay.items.returned': {
    kind: 'counter',
    unit: '{item}',
    help: 'Items whose attempt ended without ending them, by whom assay.fault names.',
  },
  'assay.cost': { kind: 'counter', unit: 'USD', help: 'What the steps cost.' },
  'assay.tokens': { kind: 'counter', unit: '{token}', help: 'Tokens of the steps, by gen_ai.token.type.' },
  'assay.claim.size': {
    kind: 'histogram',
    unit: '{item}',
    help: 'Items in a claim.',
    buckets: [1, 10, 50, 100, 250, 500, 1000],
  },
  'assay.claim.wait': {
    kind: 'histogram',
    unit: 's',
    help: 'How long a run had waited for a claim, since it was submitted or last claimed from.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
  },
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    help: 'Requests to the interface, until the answer began.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  },
} as const satisfies Record<string, Instrument>

/** No method waits or throws: the work continues whatever happens to the reports. */
export interface Telemetry {
  /** Whether spans are exported at all. */
  readonly tracing: boolean
  /** Whether a trace is exported; its caller may have decided that. */
  shows(traceId: string, caller?: CallerSpan): boolean
  span(span: Span): void
  measure(instrument: keyof typeof INSTRUMENTS, value: number, attributes?: Attributes): void
}
