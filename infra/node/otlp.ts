// Exports traces and measurements by OTLP over HTTP, as JSON; the only module that uses OpenTelemetry's library.
// Guarantee: nobody waits for the receiver. Spans beyond LIMITS.telemetry_spans and failed exports are dropped, and
// counted in one log line a minute.

import { type HrTime, type Meter, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace'
import type { Context } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { VERSION } from '../../shared/kernel/version.ts'
import {
  type Attributes,
  INSTRUMENTS,
  type Instrument,
  type Span,
  type Telemetry,
} from '../../shared/traces/rules/telemetry.ts'
import { isWithin, type SpanPlace } from '../../shared/traces/rules/tracing.ts'
import { type Figures, METRICS } from '../../shared/upkeep/verbs/metrics.ts'
import type { Exporter, TelemetryOptions } from './exporter.ts'

const EXPORT_FAILED = 1 // ExportResultCode.FAILED of @opentelemetry/core, which is no dependency of ours

const SCOPE = { name: 'assay', version: VERSION }

export function createExporter(options: TelemetryOptions): Exporter {
  const dropped = new Dropped()
  const resource = resourceOf(options)
  const spans = options.traces ? new SpanQueue(resource, dropped) : null
  const meters = options.metrics ? openMeters(resource, options.interval_ms, dropped) : null
  return {
    tracing: spans !== null,
    shows: (traceId, caller) =>
      spans !== null && (caller && options.heeds_caller ? caller.sampled : isWithin(options.share, traceId)),
    span: span => spans?.add(span),
    measure: (instrument, value, attributes) => meters?.measure(instrument, value, attributes),
    start(log, figures) {
      dropped.start(log)
      if (figures) meters?.observe(figures)
    },
    async close() {
      const sent = Promise.allSettled([spans?.close(), meters?.close()])
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, LIMITS.telemetry_flush_ms)
      await Promise.race([sent, late.promise])
      clearTimeout(timer)
      dropped.end(spans?.held ?? 0)
    },
  }
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our own attributes. */
function resourceOf({ installation }: TelemetryOptions): Resource {
  const own = {
    'service.name': 'assay',
    ...(installation === undefined ? {} : { 'service.namespace': installation }),
    'service.version': VERSION,
    'service.instance.id': crypto.randomUUID(),
  }
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }))
}

/** Counts and logs what the receiver did not get. */
class Dropped {
  #spans = 0
  #exports = 0
  #error = ''
  #log: Context['log'] = () => {}
  #timer: ReturnType<typeof setInterval> | undefined

  start(log: Context['log']): void {
    this.#log = log
    this.#timer = setInterval(() => this.#report(), LIMITS.telemetry_report_ms)
    this.#timer.unref()
  }

  spans(n: number, error?: unknown): void {
    this.#spans += n
    if (error !== undefined) this.#error = String(error)
  }

  measurements(error: unknown): void {
    this.#exports++
    this.#error = String(error)
  }

  end(held: number): void {
    clearInterval(this.#timer)
    if (held > 0) this.spans(held, this.#error || 'the receiver did not answer before the end')
    this.#report()
  }

  #report(): void {
    if (this.#spans + this.#exports === 0) return
    this.#log('warn', 'telemetry_dropped', {
      spans: this.#spans,
      exports_of_metrics: this.#exports,
      error: this.#error,
    })
    this.#spans = 0
    this.#exports = 0
    this.#error = ''
  }
}

/** A bounded queue of spans that are not exported yet. */
class SpanQueue {
  readonly #resource: Resource
  readonly #dropped: Dropped
  readonly #batches: BatchSpanProcessor
  /** Spans that the receiver has not taken and that are not dropped yet. */
  held = 0

  constructor(resource: Resource, dropped: Dropped) {
    this.#resource = resource
    this.#dropped = dropped
    const exporter = new OTLPTraceExporter()
    this.#batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => {
          const over: typeof done = result => {
            this.held -= spans.length
            if (result.error) dropped.spans(spans.length, result.error)
            done(result)
          }
          try {
            exporter.export(spans, over)
          } catch (error) {
            over({ code: EXPORT_FAILED, error: error as Error }) // a span that cannot be serialized
          }
        },
        forceFlush: () => exporter.forceFlush(),
        shutdown: () => exporter.shutdown(),
      },
      maxQueueSize: LIMITS.telemetry_spans, // never reached: our own bound counts the excess
      maxExportBatchSize: LIMITS.telemetry_batch_spans,
      scheduledDelayMillis: LIMITS.telemetry_delay_ms,
    })
  }

  add(span: Span): void {
    if (this.held >= LIMITS.telemetry_spans) return this.#dropped.spans(1)
    this.held++
    this.#batches.onEnd(readable(span, this.#resource))
  }

  close(): Promise<void> {
    return this.#batches.shutdown()
  }
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
}

/** A span as the library exports it. It was never open, so no tracer is needed. */
function readable(span: Span, resource: Resource): ReadableSpan {
  const context = contextOf(span)
  const { trace_id, parent_id } = span
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    ...(parent_id === null ? {} : { parentSpanContext: contextOf({ trace_id, span_id: parent_id }) }),
    startTime: timeOf(span.start_ms),
    endTime: timeOf(span.end_ms),
    duration: timeOf(span.end_ms - span.start_ms),
    status:
      span.error === null
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.error },
    attributes: span.attributes,
    links: span.links.map(place => ({ context: contextOf(place) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const contextOf = ({ trace_id, span_id }: SpanPlace) => ({
  traceId: trace_id,
  spanId: span_id,
  traceFlags: TraceFlags.SAMPLED,
})

/** Seconds and nanoseconds. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)]
}

function openMeters(resource: Resource, intervalMs: number, dropped: Dropped) {
  const exporter = new OTLPMetricExporter()
  const failing = exporter.export.bind(exporter)
  exporter.export = (metrics, done) =>
    failing(metrics, result => {
      if (result.error) dropped.measurements(result.error)
      done(result)
    })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: intervalMs })
  const provider = new MeterProvider({ resource, readers: [reader] })
  const meter = provider.getMeter(SCOPE.name, SCOPE.version)
  const instruments = instrumentsOf(meter)
  const measure: Telemetry['measure'] = (name, value, attributes) => instruments.get(name)!(value, attributes)
  return {
    measure,
    /** The gauges of GET /metrics, under the same names. */
    observe(read: () => Promise<Figures>) {
      const gauges = Object.entries(METRICS).map(([name, { help, label, of }]) => {
        return { gauge: meter.createObservableGauge(name, { description: help }), label, of }
      })
      meter.addBatchObservableCallback(
        async result => {
          const figures = await read()
          for (const { gauge, label, of } of gauges) {
            const value = of(figures)
            if (typeof value === 'number') result.observe(gauge, value)
            else
              for (const [name, one] of Object.entries(value ?? {}))
                result.observe(gauge, one, { [label!]: name })
          }
        },
        gauges.map(({ gauge }) => gauge),
      )
    },
    close: () => provider.shutdown(),
  }
}

type Measure = (value: number, attributes?: Attributes) => void

function instrumentsOf(meter: Meter): Map<string, Measure> {
  const all = Object.entries<Instrument>(INSTRUMENTS).map(
    ([name, { kind, unit, help, buckets }]): [string, Measure] => {
      const options = { unit, description: help }
      if (kind === 'counter') {
        const counter = meter.createCounter(name, options)
        return [name, counter.add.bind(counter)]
      }
      const advice = { explicitBucketBoundaries: [...(buckets ?? [])] }
      const histogram = meter.createHistogram(name, { ...options, advice })
      return [name, histogram.record.bind(histogram)]
    },
  )
  return new Map(all)
}
