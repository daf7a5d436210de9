// Records a request as a span of its caller's trace, and its change of a run as a span of the run's trace. Guarantee:
// written after the answer, from the same data as the log; the two spans link to each other.

import type { Context } from '../context.ts'
import { isRunId } from '../kernel/ids.ts'
import { toHex } from '../kernel/secrets.ts'
import { readTraceparent, runSpan, type SpanPlace } from '../traces/rules/tracing.ts'
import type { Subject } from './access-log.ts'
import type { Endpoint } from './operation.ts'

interface Answered {
  endpoint: Pick<Endpoint, 'method' | 'path' | 'operation_id' | 'tag'>
  request: Request
  request_id: string
  began: number
  response: Response
  subject: Subject
}

export function traceRequest(
  ctx: Context,
  { endpoint, request, request_id, began, response, subject }: Answered,
): void {
  const { telemetry } = ctx
  if (telemetry === null || endpoint.tag === 'Health') return // nobody traces probes
  const method = endpoint.method.toUpperCase()
  const end_ms = ctx.now()
  const { status } = response
  const http = {
    'http.request.method': method,
    'http.route': endpoint.path,
    'http.response.status_code': status,
  }
  telemetry.measure('http.server.request.duration', (end_ms - began) / 1000, http)
  if (!telemetry.tracing) return
  const caller = readTraceparent(request.headers.get('traceparent'))
  const own: SpanPlace = { trace_id: caller?.trace_id ?? randomHex(ctx, 16), span_id: randomHex(ctx, 8) }
  const isShown = telemetry.shows(own.trace_id, caller)
  const changed =
    endpoint.method !== 'get' && status < 300 && isRunId(subject.target_id ?? '')
      ? runSpan(subject.target_id!)
      : null
  const { project_id } = subject
  const attributes = {
    'assay.request_id': request_id,
    ...(project_id ? { 'assay.project_id': project_id } : {}),
  }
  const times = { start_ms: began, end_ms }
  if (isShown)
    telemetry.span({
      ...own,
      ...times,
      parent_id: caller?.span_id ?? null,
      name: `${method} ${endpoint.path}`,
      kind: 'server',
      attributes: { ...http, ...attributes, ...(status >= 400 ? { 'error.type': String(status) } : {}) },
      error: status >= 500 ? `answered ${status}` : null,
      links: changed ? [changed] : [],
    })
  if (changed && telemetry.shows(changed.trace_id))
    telemetry.span({
      ...times,
      trace_id: changed.trace_id,
      span_id: own.span_id,
      parent_id: changed.span_id,
      name: endpoint.operation_id,
      kind: 'producer',
      attributes,
      error: null,
      links: isShown ? [own] : [],
    })
}

function randomHex(ctx: Context, bytes: number): string {
  const random = new Uint8Array(bytes)
  ctx.random(random)
  random[0]! |= 1 // all zeros are not a valid id
  return toHex(random)
}
