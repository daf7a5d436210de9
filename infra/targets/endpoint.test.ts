// Tests the packaging with one function for each endpoint: every operation has its own function, and the ingress routes
// to it without a router.

import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type KubernetesObject, objectsIn, problemsOf } from '../../test/support/kubernetes.ts'
import { Stack } from '../../test/support/openfaas.ts'
import { unitsOf } from '../packaging.ts'
import { ROUTER, RUNTIME } from './image.ts'
import { filesOf, readExample } from './installation.ts'
import { readValues, ValuesRefused } from './read-values.ts'
import type { Target } from './values.ts'

const units = unitsOf('endpoint')
const knative = await readExample('knative')
const openfaas = await readExample('openfaas')
const onKnative = new Map(
  filesOf(
    'knative',
    { ...knative, packaging: 'endpoint', ingress: { ...knative.ingress, by: 'gateway' } },
    'a test',
  ),
)
const onOpenfaas = new Map(
  filesOf('openfaas', { ...openfaas, packaging: 'endpoint', edition: 'standard' }, 'a test'),
)
const onWorkerd = new Map(
  filesOf('workerd', { ...(await readExample('workerd')), packaging: 'endpoint' }, 'a test'),
)

/** A request for each operation with the unit that serves it, and requests that no unit serves. */
const ASKED: [method: string, path: string, unit: string][] = [
  ...units.flatMap(unit =>
    unit.endpoints.map(({ method, path }): [string, string, string] => [
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, '01900000-0000-7000-8000-000000000000'),
      unit.name,
    ]),
  ),
  ['HEAD', '/health', 'get-health'],
  ['GET', '/docs', 'docs'],
  ['POST', '/dashboard/runs/x/cancel', 'dashboard'],
  ['GET', '/v1/nothing', 'docs'],
  ['PUT', '/v1/agents', 'docs'],
]

describe('on Knative', () => {
  const objects = (name: string): KubernetesObject[] => objectsIn(onKnative.get(name)!)
  const routes = objects('ingress.yaml').filter(({ kind }) => kind === 'HTTPRoute')

  it('each unit and the runtime have a Service, and there is no router', () => {
    const names = objects('services.yaml').map(({ metadata }) => metadata.name)
    expect(names.toSorted()).toEqual([RUNTIME, ...units.map(unit => unit.name)].toSorted())
  })

  it('no route has more rules or matches than the Gateway API allows', () => {
    expect(routes.length).toBeGreaterThan(1)
    for (const { spec } of routes) {
      expect(spec.rules.length).toBeLessThanOrEqual(16)
      for (const { matches } of spec.rules) expect(matches.length).toBeLessThanOrEqual(8)
    }
  })

  it('each operation is routed to its Service by the rules of precedence that gateways use', () => {
    // An exact path goes first, then the longest expression: Envoy's order, and Istio's among expressions.
    const matches = routes
      .flatMap(({ spec }) => spec.rules)
      .flatMap(rule =>
        rule.matches.map((match: { method?: string; path: { type: string; value: string } }) => ({
          ...match,
          unit: rule.filters[0].urlRewrite.hostname.split('.')[0],
        })),
      )
      .toSorted(
        (a, b) =>
          Number(b.path.type === 'Exact') - Number(a.path.type === 'Exact') ||
          b.path.value.length - a.path.value.length,
      )
    const found = ASKED.map(
      ([method, path]) =>
        matches.find(
          match =>
            (match.method === undefined || match.method === method) &&
            (match.path.type === 'Exact'
              ? match.path.value === path
              : new RegExp(match.path.value).test(path)),
        )?.unit,
    )
    expect(found).toEqual(ASKED.map(([, , unit]) => unit))
  })
})

describe('on OpenFaaS', () => {
  const { functions } = Stack.parse(parse(onOpenfaas.get('stack.yml')!, { version: '1.1' }))

  it('each unit and the runtime have a function, and there is no router', () => {
    const names = [RUNTIME, ...units.map(unit => unit.name)]
    expect(Object.keys(functions).toSorted()).toEqual(names.map(name => `assay-${name}`).toSorted())
    expect(functions).not.toHaveProperty(`assay-${ROUTER}`)
  })

  it('an nginx routes each operation to its function through the gateway', () => {
    const [config, , service, ingress] = objectsIn(onOpenfaas.get('ingress.yaml')!)
    expect(ingress!.spec.rules[0].http.paths[0].backend.service.name).toBe(service!.metadata.name)
    const conf = config!.data!['assay.conf']!
    expect(onOpenfaas.get('nginx.conf')).toContain(conf)
    expect(conf).toContain('proxy_pass http://assay/function/assay-$assay_unit$request_uri;')
    const [, otherwise] = /default ([a-z-]+);/.exec(conf)!
    const keys = [...conf.matchAll(/^ {2}"~(.+)" ([a-z-]+);$/gm)]
    const found = ASKED.map(
      ([method, path]) =>
        keys.find(([, key]) => new RegExp(key!).test(`${method} ${path}`))?.[2] ?? otherwise,
    )
    expect(found).toEqual(ASKED.map(([, , unit]) => unit))
  })

  it('nginx allows an upload to pause for as long as it waits for a response', () => {
    const conf = onOpenfaas.get('nginx.conf')!
    const times = [...conf.matchAll(/(client_body|proxy_read|proxy_send)_timeout (\d+)s;/g)]
    expect(times.map(([, , seconds]) => seconds)).toEqual(Array(3).fill(times[0]![2]))
  })
})

it('routes, Services and the nginx have no problems that a cluster would report', async () => {
  const all = [
    ...objectsIn(onKnative.get('ingress.yaml')!),
    ...objectsIn(onKnative.get('services.yaml')!).slice(0, 3),
    ...objectsIn(onOpenfaas.get('ingress.yaml')!),
  ]
  expect(await problemsOf(all)).toEqual(all.map(() => []))
})

it('in workerd each unit is a worker, and the router has a binding to each unit that callers reach', () => {
  const config = onWorkerd.get('config.capnp')!
  for (const { name } of units) expect(config).toContain(`embed "${name}.mjs"`)
  const [, router] = /const router [\s\S]*?bindings = \[([\s\S]*?)\]/.exec(config)!
  const callers = units.filter(unit => unit.platform === undefined)
  for (const { name } of callers) expect(router).toContain(`service = "${name}"`)
})

it('in workerd units without stores can reach neither the stores nor the internet', async () => {
  const content = new Map(filesOf('workerd', await readExample('workerd'), 'a test')).get('config.capnp')!
  const workerOf = (name: string) => content.split('\nconst ').find(text => text.startsWith(`${name} :`))!
  for (const name of ['docs', 'health']) {
    expect(workerOf(name)).toContain('globalOutbound = "internet"') // which allows nothing
    expect(workerOf(name)).not.toMatch(/OUTSIDE|WAKE|fromEnvironment/)
  }
  expect(workerOf('runs')).toMatch(/globalOutbound = "backplane"[\s\S]*OUTSIDE[\s\S]*WAKE/)
})

it('with a function for each endpoint, the values for Knative take an ingress by gateway or none', () => {
  const text = (target: Target, more: object) =>
    JSON.stringify({ ...(target === 'knative' ? knative : openfaas), packaging: 'endpoint', ...more })
  expect(() => readValues('knative', text('knative', {}), 'mine')).toThrow(ValuesRefused)
  expect(() => readValues('knative', text('knative', {}), 'mine')).toThrow(/takes gateway, or none/)
})
