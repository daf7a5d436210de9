// Reads the timeouts back from all generated files: every waiting party must outlive the one it waits for.

import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { objectsIn } from '../../test/support/kubernetes.ts'
import { Stack } from '../../test/support/openfaas.ts'
import { ROUTER, RUNTIME } from './image.ts'
import { filesOf, readExample } from './installation.ts'

const { min, max } = LIMITS.consume_seconds
const TIMES = [min, 50, 120, max]
const [openfaas, knative] = await Promise.all([readExample('openfaas'), readExample('knative')])

/** For each function: the platform's timeout, and for the consumer its own time. */
interface Given {
  request_s: number
  consumer_s?: number
}

const onOpenfaas = once((consumer_seconds: number) => {
  const files = new Map(filesOf('openfaas', { ...openfaas, consumer_seconds }, 'a test'))
  const stack = files.get('stack.yml')!
  const functions = Object.values(Stack.parse(parse(stack)).functions).map(one => one.environment)
  const gateway_s = Number(/The gateway must allow (\d+) s/.exec(stack)![1])
  return { functions, gateway_s }
})

const knativeObjects = (consumer_seconds: number, keda: boolean) =>
  filesOf('knative', { ...knative, consumer_seconds, keda }, 'a test').flatMap(([, text]) => objectsIn(text))
const onKnative = once((seconds: number) => knativeObjects(seconds, false))

/** Generates and reads files only once for each time. */
function once<T>(make: (seconds: number) => T): (seconds: number) => T {
  const made = new Map<number, T>()
  return seconds => {
    if (!made.has(seconds)) made.set(seconds, make(seconds))
    return made.get(seconds)!
  }
}

const given: Record<string, (consumer_s: number) => Record<string, Given>> = {
  OpenFaaS: consumer_s =>
    Object.fromEntries(
      onOpenfaas(consumer_s).functions.map(one => [
        one.FUNCTION,
        {
          request_s: Number.parseFloat(one.exec_timeout),
          ...(one.ASSAY_CONSUME_SECONDS ? { consumer_s: Number(one.ASSAY_CONSUME_SECONDS) } : {}),
        },
      ]),
    ),
  Knative: consumer_s =>
    Object.fromEntries(
      onKnative(consumer_s)
        .filter(({ apiVersion }) => apiVersion === 'serving.knative.dev/v1')
        .map(({ metadata, spec }) => {
          const { timeoutSeconds, containers } = spec.template.spec
          const setting = containers[0].env.find(
            (one: { name: string }) => one.name === 'ASSAY_CONSUME_SECONDS',
          )
          return [
            metadata.name,
            { request_s: timeoutSeconds, ...(setting ? { consumer_s: Number(setting.value) } : {}) },
          ]
        }),
    ),
}

describe.each(Object.entries(given))('on %s', (_, givenAt) => {
  it.each(TIMES)(
    'a consumer of %i s gets that time as a setting, and both consumer and runtime may run for longer',
    seconds => {
      const { consume, [RUNTIME]: runtime, tick } = givenAt(seconds)
      expect(consume!.consumer_s).toBe(seconds)
      expect(consume!.request_s).toBeGreaterThan(seconds)
      expect(runtime!.request_s).toBeGreaterThan(seconds) // it works as long as a consumer waits
      expect(tick!.request_s * 1000).toBeGreaterThan(LIMITS.tick_function_ms)
    },
  )

  it.each(TIMES)(
    'with a consumer of %i s the router may run longer than each unit, and units longer than event streams and uploads',
    seconds => {
      const { [ROUTER]: router, consume: _, tick: __, [RUNTIME]: ___, ...units } = givenAt(seconds)
      for (const { request_s } of Object.values(units)) {
        expect(request_s * 1000).toBeGreaterThan(LIMITS.event_stream_ms)
        expect(request_s * 1000).toBeGreaterThan(LIMITS.upload_ms)
        expect(router!.request_s).toBeGreaterThan(request_s)
      }
    },
  )
})

it.each(TIMES)(
  'with a consumer of %i s the router outlives every unit’s watchdog, and the gateway outlives the router',
  seconds => {
    const { functions, gateway_s } = onOpenfaas(seconds)
    const router = functions.find(one => one.FUNCTION === ROUTER)!
    for (const one of functions) {
      const [exec, write, read] = [one.exec_timeout, one.write_timeout, one.read_timeout].map(
        Number.parseFloat,
      )
      expect(write).toBeGreaterThan(exec!) // so that its 504 is sent before the connection closes
      expect(read).toBeGreaterThanOrEqual(write!) // an upload may take as long as its answer
      expect(Number.parseFloat(one.healthcheck_interval)).toBeLessThan(exec!)
      if (one !== router && one.FUNCTION !== 'consume' && one.FUNCTION !== RUNTIME)
        expect(Number.parseFloat(router.exec_timeout)).toBeGreaterThan(write!)
      expect(gateway_s).toBeGreaterThan(write!)
    }
  },
)

it.each(TIMES)('with a consumer of %i s an nginx Ingress waits longer than the router may take', seconds => {
  const values = {
    ...openfaas,
    consumer_seconds: seconds,
    ingress: { ...openfaas.ingress, class: 'nginx' },
  }
  const [ingress] = objectsIn(new Map(filesOf('openfaas', values, 'a test')).get('ingress.yaml')!)
  const router = onOpenfaas(seconds).functions.find(one => one.FUNCTION === ROUTER)!
  const waits = Number(ingress!.metadata.annotations!['nginx.ingress.kubernetes.io/proxy-read-timeout'])
  expect(waits).toBeGreaterThan(Number.parseFloat(router.write_timeout))
})

it('a Gateway API route sets no timeout of its own', () => {
  const ingress = { ...knative.ingress, by: 'gateway' as const }
  const routes = (['group', 'endpoint'] as const)
    .flatMap(packaging => filesOf('knative', { ...knative, packaging, ingress }, 'a test'))
    .flatMap(([, text]) => objectsIn(text))
    .filter(({ kind }) => kind === 'HTTPRoute')
  const rules: { timeouts?: { request: string } }[] = routes.flatMap(({ spec }) => spec.rules)
  expect(rules.length).toBeGreaterThan(1)
  expect(rules.filter(({ timeouts }) => timeouts?.request !== '0s')).toEqual([])
})

it('Knative allows the longest timeout, and a response may start as late as it may end', () => {
  for (const { spec } of onKnative(max).filter(one => one.apiVersion === 'serving.knative.dev/v1')) {
    const { timeoutSeconds, responseStartTimeoutSeconds } = spec.template.spec
    expect(timeoutSeconds).toBeLessThanOrEqual(600)
    expect(responseStartTimeoutSeconds).toBe(timeoutSeconds)
  }
})

it('a process is not restarted while it waits for a statement, nor killed while a consumer writes results', () => {
  const objects = knativeObjects(max, true)
  for (const { spec } of objects.filter(one => one.apiVersion === 'serving.knative.dev/v1')) {
    const { periodSeconds, failureThreshold } = spec.template.spec.containers[0].livenessProbe
    expect(periodSeconds * failureThreshold * 1000).toBeGreaterThan(LIMITS.store_answer_ms)
  }
  const consumer = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'consumer',
  )!
  const { terminationGracePeriodSeconds } = consumer.spec.template.spec
  expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(LIMITS.drain_ms + LIMITS.store_answer_ms)
})
