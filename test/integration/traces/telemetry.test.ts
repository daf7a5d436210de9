// Exported traces and metrics, sent to a receiver that checks the shape of the protocol.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { listen } from '../../../infra/node/listen.ts'
import { readSettings } from '../../../infra/node/settings.ts'
import { openTelemetry } from '../../../infra/node/telemetry.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { agent } from '../../../shared/sdk/agent.ts'
import type { Context } from '../../../shared/sdk/context.ts'
import { serve } from '../../../shared/sdk/serve.ts'
import { INSTRUMENTS, type Span } from '../../../shared/traces/rules/telemetry.ts'
import { attemptSpanId, runSpan, traceIdOf } from '../../../shared/traces/rules/tracing.ts'
import { METRICS } from '../../../shared/upkeep/verbs/metrics.ts'
import { type CollectedSpan, type Collector, startCollector } from '../../support/collector.ts'
import { failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { type Stack, startStack } from '../../support/stack.ts'

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

const seen: (string | undefined)[] = []
class Judge {
  async run(ctx: Context, input: { text: string }) {
    seen.push(ctx.traceparent)
    await ctx.tool('find_order', { text: input.text }, async () => ({ found: true }))
    await ctx.llm('judge', { model: 'gpt-5-mini', messages: [input.text] }, async () => {
      if (input.text === 'bad') throw new Error('the provider is away')
      return {
        model: 'gpt-5-mini',
        choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1000, completion_tokens: 100 },
      }
    })
    return 'yes'
  }
}
agent({ name: 'judge' })(Judge as never, { kind: 'class', name: 'Judge' } as never)

describe('a stack with a receiver for its telemetry', () => {
  const parts = new AsyncDisposableStack()
  let collector: Collector
  let stack: Stack
  let runId: string
  const spansOf = (trace: string) => collector.spans.filter(span => span.traceId === trace)
  const named = (spans: CollectedSpan[], name: string) => spans.filter(span => span.name === name)

  beforeAll(async () => {
    collector = parts.adopt(await startCollector(), one => one.close())
    const server = parts.adopt(
      await listen({ port: 0, host: '127.0.0.1' }, request => serve(Judge as never)(request)),
      one => one.close(),
    )
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
      OTEL_SERVICE_NAME: 'assay-here',
    }
    stack = parts.adopt(await startStack({ env }), one => one.close())
    const [project] = (await (await ask('GET', '/v1/projects')).json()) as { id: string }[]
    const made = await call('POST', '/v1/agents', {
      name: 'judge',
      slug: 'judge',
      project_id: project!.id,
    })
    const code = { kind: 'url', url: server.url, declaration: { name: 'judge' } }
    await call('POST', `/v1/agents/${made.id}/deployments`, code)
    const items = ['good', 'bad', 'good'].map(text => ({ input: { text } }))
    const submitted = await call('POST', '/v1/batches', { agent: 'judge', items })
    runId = submitted.run_id as string
    await (await ask('GET', `/v2/runs/${runId}/events`)).text() // ends with the run
    await stack.stop()
  })
  afterAll(() => parts.disposeAsync())

  const ask = (method: string, path: string, body?: object) =>
    fetch(stack.base_url + path, {
      method,
      headers: {
        authorization: `Bearer ${stack.api_key}`,
        'content-type': 'application/json',
        traceparent: `00-${CALLER.trace}-${CALLER.span}-01`,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const call = async (method: string, path: string, body?: object) => {
    const response = await ask(method, path, body)
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as Record<string, unknown>
  }

  it('sends only what has the shape of the protocol, with the headers and the service name it was given', () => {
    expect(collector.problems).toEqual([])
    expect(collector.headers.length).toBeGreaterThan(1)
    for (const headers of collector.headers) expect(headers['x-key']).toBe('secret')
    for (const resource of collector.resources) expect(resource['service.name']).toBe('assay-here')
  })

  it('joins requests to their callers, and links a request and the run that it made to each other', () => {
    const [request] = named(spansOf(CALLER.trace), 'POST /v1/batches')
    const root = runSpan(runId)
    expect(request).toMatchObject({
      kind: 2,
      parentSpanId: CALLER.span,
      attributes: { 'http.route': '/v1/batches', 'http.response.status_code': 202 },
      links: [{ traceId: root.trace_id, spanId: root.span_id }],
    })
    const [submission] = named(spansOf(root.trace_id), 'submitBatch')
    expect(submission).toMatchObject({
      parentSpanId: root.span_id,
      links: [{ traceId: CALLER.trace, spanId: request!.spanId }],
    })
  })

  it('exports a run as one tree of the run, its attempts and their steps, in which no parent is missing', () => {
    const trace = spansOf(traceIdOf(runId))
    const ids = new Set(trace.map(span => span.spanId))
    expect(ids.size).toBe(trace.length)
    const roots = trace.filter(span => span.parentSpanId === undefined)
    expect(roots.map(span => span.name)).toEqual(['run judge'])
    expect(trace.filter(span => span.parentSpanId && !ids.has(span.parentSpanId))).toEqual([])
    const attempts = named(trace, 'invoke_agent judge')
    expect(attempts.map(span => span.parentSpanId)).toEqual(Array(3).fill(roots[0]!.spanId))
    for (const attempt of attempts) {
      const steps = trace.filter(span => span.parentSpanId === attempt.spanId)
      expect(steps.map(span => span.name).sort()).toEqual([
        expect.stringMatching(/^chat /),
        'execute_tool find_order',
      ])
    }
  })

  it('exports the model, tokens and cost of a model call and the tool of a tool call, and no text of either', () => {
    const trace = spansOf(traceIdOf(runId))
    const [chat] = named(trace, 'chat gpt-5-mini')
    expect(chat).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-5-mini',
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 100,
        'gen_ai.usage.cost': expect.closeTo(0.00045, 10),
        'assay.outcome': 'ok',
      },
    })
    expect(named(trace, 'execute_tool find_order')[0]!.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'find_order',
    })
    const said = JSON.stringify(trace, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(said).not.toMatch(/good|"yes"/)
  })

  it('exports verdicts as attributes and errors as the status', () => {
    const attempts = named(spansOf(traceIdOf(runId)), 'invoke_agent judge')
    const [bad, ...good] = attempts.sort((a, b) => b.status.code - a.status.code)
    expect(bad).toMatchObject({
      attributes: { 'assay.status': 'failed', 'assay.outcome': 'failed', 'error.type': 'llm_call_error' },
      status: { code: 2, message: expect.stringContaining('the provider is away') },
    })
    for (const one of good)
      expect(one).toMatchObject({
        attributes: { 'assay.status': 'completed', 'assay.outcome': 'ok', 'assay.attempt': 1 },
        status: { code: 0 },
      })
    expect(named(spansOf(traceIdOf(runId)), 'run judge')[0]).toMatchObject({
      attributes: { 'assay.items': 3, 'assay.items.ok': 2, 'assay.items.failed': 1 },
      status: { code: 2, message: '1 of 3 items failed' },
    })
  })

  it("gives the agent, for each item, the parent span of the agent's own spans", () => {
    const attempts = named(spansOf(traceIdOf(runId)), 'invoke_agent judge')
    const reported = attempts.map(span => `00-${span.traceId}-${span.spanId}-01`)
    expect(seen.toSorted()).toEqual(reported.toSorted())
  })

  it('sends all its instruments, and the metrics of GET /metrics under the same names', () => {
    // Ages of turns are reported while a tick or a consumer is at work, which may be over by now.
    // A share of a limit is reported where one is known.
    const isLasting = (name: string) =>
      !name.endsWith('_turn_age_seconds') && name !== 'assay_upstream_limit_used_ratio'
    expect([...collector.metrics.keys()].filter(isLasting).sort()).toEqual(
      [...Object.keys(INSTRUMENTS), ...Object.keys(METRICS)]
        .filter(name => isLasting(name) && name !== 'assay.items.returned') // no item was returned
        .sort(),
    )
    const settled = collector.metrics.get('assay.items.settled')!.sum!
    expect(settled.isMonotonic).toBe(true)
    expect(
      settled.dataPoints.map(({ attributes, asDouble, asInt }) => [attributes, asDouble ?? asInt]),
    ).toEqual(
      expect.arrayContaining([
        [{ 'assay.status': 'completed', 'assay.outcome': 'ok' }, 2],
        [{ 'assay.status': 'failed', 'assay.outcome': 'failed' }, 1],
      ]),
    )
    const requests = collector.metrics.get('http.server.request.duration')!.histogram!.dataPoints
    expect(requests.find(one => one.attributes['http.route'] === '/v1/batches')).toMatchObject({ count: 1 })
  })
})

describe('an exporter', () => {
  let engine: TestEngine
  let collector: Collector
  beforeEach(async () => {
    ;[engine, collector] = await Promise.all([testEngine(), startCollector()])
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await collector.close()
    await engine.close()
  })

  /** A context that exports, and the dropped spans that it logged. */
  async function exporting(env: Record<string, string> = {}) {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
    const settings = readSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
      ...env,
    })
    const telemetry = (await openTelemetry(settings))!
    const dropped: Record<string, unknown>[] = []
    telemetry.start((_level, event, fields) => {
      if (event === 'telemetry_dropped') dropped.push(fields!)
    })
    return { telemetry, dropped, ctx: { ...engine.ctx, telemetry } }
  }

  const some: Span = {
    ...runSpan('01920000-0000-7000-8000-000100000000'),
    parent_id: null,
    name: 'some',
    kind: 'internal',
    start_ms: 1_800_000_000_000,
    end_ms: 1_800_000_000_001.5,
    attributes: {},
    error: null,
    links: [],
  }

  const attemptsOf = (runId: string) =>
    collector.spans.filter(span => span.traceId === traceIdOf(runId) && span.name.startsWith('invoke_agent'))

  it('exports a bounded number of items of a long run, and every failed one, with their steps', async () => {
    const { ctx, telemetry } = await exporting()
    const runId = await engine.submit(2000)
    const failing = [150, 1999]
    engine.play(function* (items) {
      for (const item of items) {
        yield step(item, 'a')
        yield failing.includes(item.seq) ? failure(item, 'oops') : result(item)
      }
    })
    await consume(ctx)
    await ctx.idle()
    await telemetry.close()
    const sampled = [...Array(100).keys()]
      .map(i => i + 1)
      .concat([...Array(19).keys()].map(i => (i + 2) * 100))
    const wanted = [...sampled, ...failing].map(seq => attemptSpanId(seq, 1))
    expect(
      attemptsOf(runId)
        .map(span => span.spanId)
        .sort(),
    ).toEqual(wanted.sort())
    const steps = collector.spans.filter(span => span.name === 'step a')
    expect(steps.map(span => span.parentSpanId).sort()).toEqual(wanted.sort())
  })

  it('exports a bounded number of items of a run in which everything fails, however many consumers work on it', async () => {
    const { ctx, telemetry } = await exporting()
    await engine.deploy({ max_consecutive_failures: 1_000_000, concurrency: 500 })
    const runId = await engine.submit(1700)
    engine.play(items => items.map(item => failure(item, 'oops')))
    await Promise.all([consume(ctx), consume(ctx)])
    await ctx.idle()
    await telemetry.close()
    const shown = attemptsOf(runId).length
    expect(shown).toBeGreaterThanOrEqual(LIMITS.traced_failures)
    expect(shown).toBeLessThanOrEqual(LIMITS.traced_failures + 116) // the first 100, and every hundredth
  })

  it('exports every attempt of an item, each with its own steps', async () => {
    const { ctx, telemetry } = await exporting()
    await engine.deploy({ retries: 1 })
    const runId = await engine.submit(1)
    engine.play(function* (items) {
      for (const item of items) {
        yield step(item, `s${item.attempt}`)
        yield item.attempt === 1 ? failure(item, 'oops') : result(item)
      }
    })
    await consume(ctx) // which waits for the retry
    await ctx.idle()
    await telemetry.close()
    const attempts = attemptsOf(runId)
    expect(attempts.map(span => [span.attributes['assay.status'], span.attributes['assay.code']])).toEqual([
      ['queued', 'oops'],
      ['completed', undefined],
    ])
    for (const [i, attempt] of attempts.entries())
      expect(
        collector.spans.filter(span => span.parentSpanId === attempt.spanId).map(span => span.name),
      ).toEqual([`step s${i + 1}`])
  })

  it('omits the runs that the sampler omits, and informs their agents', async () => {
    const { ctx, telemetry } = await exporting({ OTEL_TRACES_SAMPLER: 'always_off' })
    const runId = await engine.submit(1)
    await consume(ctx)
    await ctx.idle()
    await telemetry.close()
    expect(collector.spans).toEqual([])
    expect(engine.requests[0]![0]!.traceparent).toBe(`00-${traceIdOf(runId)}-${attemptSpanId(1, 1)}-00`)
  })

  it('does not exist without a receiver or if it is disabled, and agents get no traceparent then', async () => {
    expect(await openTelemetry(readSettings({}))).toBeNull()
    expect(
      await openTelemetry(
        readSettings({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }),
      ),
    ).toBeNull()
    await engine.submit(1)
    await consume(engine.ctx)
    expect(engine.requests[0]![0]).not.toHaveProperty('traceparent')
  })

  it('names the valid values of a setting that it cannot follow', async () => {
    await expect(exporting({ OTEL_TRACES_SAMPLER: 'xray' })).rejects.toThrow(
      /OTEL_TRACES_SAMPLER is xray: it takes/,
    )
    await expect(
      exporting({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }),
    ).rejects.toThrow(/0 to 1/)
    await expect(exporting({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toThrow(/4318/)
  })

  it.each(['answers 500', 'is away', 'hangs'])(
    'whose receiver %s loses none of the work, and logs how much it dropped',
    async fault => {
      vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200')
      const { ctx, telemetry, dropped } = await exporting()
      if (fault === 'is away') await collector.close()
      collector.answer = response => {
        if (fault === 'answers 500') response.writeHead(500).end()
      }
      const runId = await engine.submit(50)
      expect(await consume(ctx)).toMatchObject({ settled: 50 })
      expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 50 })
      await ctx.idle()
      await telemetry.close()
      expect(dropped).toEqual([{ spans: 51, exports_of_metrics: 0, error: expect.stringMatching(/\w/) }])
    },
  )

  it('gives up within a bound if it is closed while its receiver hangs', async () => {
    const { telemetry, dropped } = await exporting()
    collector.answer = () => {}
    telemetry.span(some)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const closed = telemetry.close()
      await collector.got(1)
      await vi.advanceTimersByTimeAsync(LIMITS.telemetry_flush_ms)
      await closed
    } finally {
      vi.useRealTimers()
    }
    expect(dropped).toEqual([
      { spans: 1, exports_of_metrics: 0, error: expect.stringMatching(/did not answer/) },
    ])
  })

  it('holds a bounded number of spans, and counts those beyond the bound as dropped [log.telemetry_dropped]', async () => {
    const { telemetry, dropped } = await exporting()
    for (let i = 0; i < LIMITS.telemetry_spans + 3; i++) telemetry.span(some)
    // Before it closes, which waits only as long as a platform lets it.
    await vi.waitFor(() => expect(collector.spans).toHaveLength(LIMITS.telemetry_spans), { timeout: 60_000 })
    await telemetry.close()
    expect(dropped).toEqual([{ spans: 3, exports_of_metrics: 0, error: '' }])
    expect(collector.spans[0]).toMatchObject({
      startTimeUnixNano: 1_800_000_000_000_000_000n,
      endTimeUnixNano: 1_800_000_000_001_500_000n,
    })
  })
})
