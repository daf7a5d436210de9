// What is generated for Knative, read as a cluster would read it.

import { describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { openApiDocument } from '../../shared/http/openapi.ts'
import { createRoutes } from '../../shared/http/routes.ts'
import { generatedFiles, readGenerated } from '../../test/support/generated.ts'
import { isObjects, objectsIn, problemsOf } from '../../test/support/kubernetes.ts'
import { routesOf } from '../packaging.ts'
import { ROUTER, RUNTIME, UNITS } from './image.ts'
import { knativeFiles } from './knative.ts'

const files = generatedFiles('knative')
const objects = files.filter(isObjects).flatMap(name => objectsIn(readGenerated('knative', name)))
const services = objects.filter(({ apiVersion }) => apiVersion === 'serving.knative.dev/v1')
const service = (name: string) => services.find(({ metadata }) => metadata.name === name)!

it('the folder holds what is generated, and nothing of before', () => {
  expect(files.sort()).toEqual(
    knativeFiles()
      .map(([path]) => path)
      .sort(),
  )
})

it('every object is one that a cluster takes', async () => {
  const problems = await problemsOf(objects)
  const told = objects.map(({ kind, metadata }, at) => [`${kind} ${metadata.name}`, problems[at]])
  expect(told.filter(([, found]) => found!.length > 0)).toEqual([])
})

const POD = 'spec template spec'
const CONTAINER = `${POD} containers 0`
const SCALE = 'spec template metadata annotations autoscaling.knative.dev'
/** What is set, where; nothing is taken away. */
const BREAKS: [what: string, object: string, path: string, value: unknown, told: RegExp][] = [
  ['a misspelt field', 'Service consume', `${POD} containerConcurency`, 1, /containerConcurency/],
  ['a misspelt field further in', 'Service runs', `${CONTAINER} readinessProbe httpGet paht`, '/', /paht/],
  ['a misspelt annotation', 'Service runs', `${SCALE}/minscale`, '1', /minscale/],
  ['an annotation that is a number', 'Service runs', `${SCALE}/min-scale`, 0, /string/],
  [
    'a label that hides nothing',
    'Service runs',
    'metadata labels networking.knative.dev/visibility',
    'local',
    /local/,
  ],
  ['a second port', 'Service runs', `${CONTAINER} ports 1`, { containerPort: 9090 }, /one port/],
  ['a port of our own choice', 'Service runs', `${CONTAINER} env 1`, { name: 'PORT', value: '80' }, /PORT/],
  ['a field behind a feature flag', 'Service runs', `${POD} hostNetwork`, true, /hostNetwork/],
  ['a name with an underscore', 'Service runs', 'metadata name', 'my_runs', /my_runs/],
  ['a time that is text', 'Service runs', `${POD} timeoutSeconds`, '300s', /number/],
  ['a time beyond the longest', 'Service runs', `${POD} timeoutSeconds`, 900, /beyond/],
  ['a version that is not there', 'PingSource tick', 'apiVersion', 'sources.knative.dev/v1beta3', /v1beta3/],
  ['a clock with a misspelt goal', 'PingSource tick', 'spec snik', {}, /snik/],
  ['a policy of restarts that is not one', 'Job migrate', `${POD} restartPolicy`, 'always', /always/],
  [
    'a direction that is not one',
    'NetworkPolicy out-of-router',
    'spec policyTypes 0',
    'Outgress',
    /Outgress/,
  ],
  ['a misspelt rewrite', 'HTTPRoute assay', 'spec rules 0 filters 0 urlRewrite hostName', 'x', /hostName/],
  ['a misspelt bound', 'ScaledObject consumer', 'spec minReplicas', 0, /minReplicas/],
  ['a number for a text', 'ScaledObject consumer', 'spec triggers 0 metadata targetQueryValue', 50, /string/],
  ['a misspelt field of a monitor', 'PodMonitor assay', 'spec podMetricsEndpoint', [], /podMetricsEndpoint/],
  ['a host with an underscore', 'DomainMapping assay.example.com', 'metadata name', 'a_b.example.com', /a_b/],
]

describe('of what is broken on purpose', async () => {
  const broken = BREAKS.map(([, name, path, value]) => {
    const found = objects.find(({ kind, metadata }) => `${kind} ${metadata.name}` === name)
    return withValue(found!, path.split(' '), value)
  })
  const problems = await problemsOf(broken)
  it.each(BREAKS.map(([what, , , , told], at) => ({ what, told, at })))('$what is found', ({ told, at }) => {
    expect(problems[at]!.join('\n')).toMatch(told)
  })
})

function withValue<T extends object>(whole: T, path: string[], value: unknown): T {
  const copy = structuredClone(whole)
  let at = copy as Record<string, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
  at[path.at(-1)!] = value
  return copy
}

describe('the services', () => {
  it('are the units, each once, the agent runtime, and the router, the only one that is seen from outside', () => {
    const names = services.map(({ metadata }) => metadata.name)
    expect(names.toSorted()).toEqual([ROUTER, RUNTIME, ...UNITS.map(unit => unit.name)].toSorted())
    const seen = services.filter(({ metadata }) => !metadata.labels!['networking.knative.dev/visibility'])
    expect(seen).toEqual([service(ROUTER)])
    for (const { metadata, spec } of services) {
      expect(spec.template.spec.containers[0].env[0]).toEqual({ name: 'FUNCTION', value: metadata.name })
    }
  })

  it('hold, each operation of the document, one', () => {
    const routes = routesOf(UNITS)
    const operations = Object.entries(openApiDocument(endpoints).paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => ({ method, path, at: path.replaceAll(/\{\w+\}/g, 'x-1') })),
    )
    for (const { method, path, at } of operations) {
      const fits = routes.filter(route => createRoutes([route])(method.toUpperCase(), at))
      expect([path, new Set(fits.map(route => route.unit)).size]).toEqual([path, 1])
      expect(service(fits[0]!.unit)).toBeDefined()
    }
  })

  it('give the consumer and the tick the time they take, and an event stream too', () => {
    const seconds = (name: string): number => service(name).spec.template.spec.timeoutSeconds
    const told = service('consume').spec.template.spec.containers[0].env
    const own = told.find((one: { name: string }) => one.name === 'ASSAY_CONSUME_SECONDS').value
    expect(seconds('consume')).toBeGreaterThan(Number(own))
    expect(seconds(RUNTIME)).toBeGreaterThan(Number(own))
    expect(seconds('tick') * 1000).toBeGreaterThan(LIMITS.tick_function_ms)
    expect(seconds('runs') * 1000).toBeGreaterThan(LIMITS.event_stream_ms)
    expect(seconds(ROUTER)).toBeGreaterThanOrEqual(seconds('runs'))
  })

  it('write to no disk but the runtime to its own', () => {
    for (const { metadata, spec } of services) {
      const { containers, volumes } = spec.template.spec
      expect(containers[0].securityContext.readOnlyRootFilesystem).toBe(true)
      const mounts = (containers[0].volumeMounts ?? []).map((one: { mountPath: string }) => one.mountPath)
      expect([metadata.name, mounts]).toEqual([metadata.name, metadata.name === RUNTIME ? ['/tmp'] : []])
      expect(volumes?.length ?? 0).toBe(mounts.length)
    }
  })

  it('keep the secrets from the router', () => {
    expect(service(ROUTER).spec.template.spec.containers[0].envFrom).toEqual([
      { configMapRef: { name: 'assay' } },
    ])
  })

  it('are what all else refers to', () => {
    const named = (kind: string) => objects.filter(one => one.kind === kind)
    expect(named('PingSource').map(({ spec }) => spec.sink.ref.name)).toEqual(['tick'])
    expect(named('DomainMapping').map(({ spec }) => spec.ref.name)).toEqual([ROUTER])
    const evicted = named('PodDisruptionBudget').map(
      ({ spec }) => spec.selector.matchLabels['serving.knative.dev/service'],
    )
    expect(evicted).toEqual(services.map(({ metadata }) => metadata.name))
  })
})
