// A receiver of OpenTelemetry over HTTP, like a collector: it accepts traces and metrics as JSON, refuses what does not
// have the protocol's shape, and keeps the rest.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { startWaiting } from './waiting.ts'

const scalar = z.union([
  z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z
    .strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) })
    .transform(v => Number(v.intValue)),
  z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
])
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: scalar }))
  .transform(pairs => Object.fromEntries(pairs.map(({ key, value }) => [key, value])))
const traceId = z.string().regex(/^(?!0{32})[0-9a-f]{32}$/)
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/)
/** Nanoseconds of this century: neither seconds nor milliseconds match. */
const nanos = z
  .string()
  .regex(/^[12]\d{18}$/)
  .transform(text => BigInt(text))
const count = z.int().min(0)
const resource = z.strictObject({
  attributes,
  droppedAttributesCount: count,
  schemaUrl: z.string().optional(),
})
const scope = z.strictObject({ name: z.string().min(1), version: z.string().optional() })

const Span = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId.optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    droppedAttributesCount: count,
    events: z.array(z.unknown()),
    droppedEventsCount: count,
    status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
    links: z.array(
      z.strictObject({
        traceId,
        spanId,
        attributes,
        droppedAttributesCount: count,
        flags: z.int().optional(),
      }),
    ),
    droppedLinksCount: count,
    flags: z.int(),
  })
  .refine(span => span.startTimeUnixNano <= span.endTimeUnixNano, 'it ends before it begins')
const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(Span) })) }),
  ),
})

const point = { attributes, startTimeUnixNano: nanos, timeUnixNano: nanos, flags: z.int().optional() }
const number = z.strictObject({ ...point, asInt: z.number().optional(), asDouble: z.number().optional() })
const histogram = z
  .strictObject({
    ...point,
    count,
    sum: z.number(),
    min: z.number().optional(),
    max: z.number().optional(),
    bucketCounts: z.array(count),
    explicitBounds: z.array(z.number()),
  })
  .refine(one => one.bucketCounts.length === one.explicitBounds.length + 1, 'a bucket is missing')
const aggregationTemporality = z.literal(2) // cumulative
const Metric = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  unit: z.string(),
  gauge: z.strictObject({ dataPoints: z.array(number) }).optional(),
  sum: z
    .strictObject({ dataPoints: z.array(number), aggregationTemporality, isMonotonic: z.boolean() })
    .optional(),
  histogram: z.strictObject({ dataPoints: z.array(histogram), aggregationTemporality }).optional(),
})
const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(Metric) })) }),
  ),
})

export type CollectedSpan = z.output<typeof Span>
export type CollectedMetric = z.output<typeof Metric>

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** The metrics as last sent, by name. */
  metrics: Map<string, CollectedMetric>
  /** The resource attributes of each sender. */
  resources: Record<string, unknown>[]
  headers: IncomingMessage['headers'][]
  /** Why requests were refused. */
  problems: string[]
  /** How it answers from now on, once it has read the request; null validates and keeps the request. */
  answer: ((response: ServerResponse) => void) | null
  /** Resolves when it has read that many requests in all. */
  got(n: number): Promise<void>
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const waiting = startWaiting()
  const take = (path: string, body: string) => {
    if (path === '/v1/traces')
      for (const { resource, scopeSpans } of Traces.parse(JSON.parse(body)).resourceSpans) {
        collector.resources.push(resource.attributes)
        collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans))
      }
    else if (path === '/v1/metrics')
      for (const { resource, scopeMetrics } of Metrics.parse(JSON.parse(body)).resourceMetrics) {
        collector.resources.push(resource.attributes)
        for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics))
          collector.metrics.set(metric.name, metric)
      }
    else throw new Error(`${path} is no path of the protocol`)
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const text of request.setEncoding('utf8')) body += text
    collector.headers.push(request.headers)
    if (collector.answer) collector.answer(response)
    else {
      try {
        take(request.url!, body)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      } catch (error) {
        collector.problems.push(String(error))
        response.writeHead(400).end()
      }
    }
    waiting.look()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: new Map(),
    resources: [],
    headers: [],
    problems: [],
    answer: null,
    got: n => waiting.until(() => collector.headers.length >= n),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return collector
}
