// What functions in separate processes export: one trace, whichever process writes its spans.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { traceIdOf } from '../../../shared/traces/rules/tracing.ts'
import { type Collector, startCollector } from '../../support/collector.ts'
import { type Sleeping, startSleeping } from '../../support/sleeping.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'

const parts = new AsyncDisposableStack()
let sleeping: Sleeping
let collector: Collector
beforeAll(async () => {
  const database = parts.adopt(await testDatabase(), store => store.drop())
  const redis = parts.adopt(await testRedis(), store => store.drop())
  collector = parts.adopt(await startCollector(), one => one.close())
  sleeping = parts.adopt(await startSleeping({ databaseUrl: database.url, redisUrl: redis.url }), one =>
    one.close(),
  )
  for (const env of Object.values(sleeping.env)) env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
})
afterAll(() => parts.disposeAsync())

it('a run is one trace over all processes, complete once they are scaled to zero, and the tick sends the gauges', async () => {
  const runId = await sleeping.submit(3)
  await sleeping.finished(runId)
  expect(await sleeping.call('tick')).toMatchObject({ status: 200 })
  expect(await sleeping.toZero()).toEqual([0, 0, 0])
  expect(collector.problems).toEqual([])
  const trace = collector.spans.filter(span => span.traceId === traceIdOf(runId))
  const names = [
    'invoke_agent played',
    'invoke_agent played',
    'invoke_agent played',
    'run played',
    'submitBatch',
  ]
  expect(trace.map(span => span.name).sort()).toEqual(names)
  const root = trace.find(span => span.parentSpanId === undefined)!
  expect(root.name).toBe('run played')
  for (const span of trace) if (span !== root) expect(span.parentSpanId).toBe(root.spanId)
  const senders = new Set(collector.resources.map(resource => resource['service.instance.id']))
  expect(senders.size).toBe(3)
  expect(collector.metrics.get('assay_runs_open')?.gauge?.dataPoints).toMatchObject([{ asDouble: 0 }])
})
