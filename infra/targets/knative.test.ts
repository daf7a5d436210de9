// Reads the files generated for Knative as a cluster would.

import { describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { createRoutes } from '../../shared/http/routes.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'
import { generatedFiles, readGenerated } from '../../test/support/generated.ts'
import { type KubernetesObject, objectsIn, problemsOf } from '../../test/support/kubernetes.ts'
import { REFUSED } from '../local/exit-error.ts'
import { routesOf } from '../packaging.ts'
import { ROUTER, RUNTIME, UNITS } from './image.ts'
import { filesOf, readExample } from './installation.ts'
import type { KnativeValues } from './values.ts'

const example = await readExample('knative')
const made = (values: Partial<KnativeValues> = {}): KubernetesObject[] =>
  filesOf('knative', { ...example, ...values }, 'a test').flatMap(([, text]) => objectsIn(text))

const objects = made()
const isService = ({ apiVersion }: KubernetesObject) => apiVersion === 'serving.knative.dev/v1'
const services = objects.filter(isService)
const service = (name: string, among = services) => among.find(({ metadata }) => metadata.name === name)!
const byGateway = made({ ingress: { ...example.ingress, by: 'gateway' } })
const withKeda = made({ keda: true })

it('the generated folder holds exactly the files made from the example', () => {
  const files = new Map(filesOf('knative', example, 'infra/values/knative.yaml'))
  expect(generatedFiles('knative').toSorted()).toEqual([...files.keys()].toSorted())
  for (const [name, text] of files) expect(readGenerated('knative', name)).toBe(text)
})

it('every object is valid in a cluster, whichever values it is made from', async () => {
  const { pooler: _, prometheus_namespace: __, image_pull_secret: ___, ...least } = example
  const plain = filesOf(
    'knative',
    { ...least, ingress: { ...example.ingress, by: 'none' }, agent_networks: [], telemetry: {} },
    'a test',
  ).flatMap(([, text]) => objectsIn(text))
  // Includes OpenFaaS's objects outside its stack file, since reading the types takes most of the time.
  const openfaas = filesOf('openfaas', await readExample('openfaas'), 'a test')
  const beside = openfaas.flatMap(([name, text]) => (name.endsWith('.yaml') ? objectsIn(text) : []))
  const all = [...objects, ...byGateway, ...withKeda, ...plain, ...beside]
  const problems = await problemsOf(all)
  const named = all.map(({ kind, metadata }, at) => [`${kind} ${metadata.name}`, problems[at]])
  expect(named.filter(([, found]) => found!.length > 0)).toEqual([])
})

const POD = 'spec template spec'
const CONTAINER = `${POD} containers 0`
const SCALE = 'spec template metadata annotations autoscaling.knative.dev'
/** Values that break an object when set at a path; nothing is removed. */
const BREAKS: [what: string, object: string, path: string, value: unknown, expected: RegExp][] = [
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
  [
    'a version that does not exist',
    'PingSource tick',
    'apiVersion',
    'sources.knative.dev/v1beta3',
    /v1beta3/,
  ],
  ['a PingSource with a misspelt sink', 'PingSource tick', 'spec snik', {}, /snik/],
  ['an unknown restart policy', 'Job assay-migrate', `${POD} restartPolicy`, 'always', /always/],
  ['an unknown policy type', 'NetworkPolicy out-of-router', 'spec policyTypes 0', 'Outgress', /Outgress/],
  ['a misspelt rewrite', 'HTTPRoute assay', 'spec rules 0 filters 0 urlRewrite hostName', 'x', /hostName/],
  ['a misspelt bound', 'ScaledObject consumer', 'spec minReplicas', 0, /minReplicas/],
  [
    'a number in place of a text',
    'ScaledObject consumer',
    'spec triggers 0 metadata targetQueryValue',
    50,
    /string/,
  ],
  ['a misspelt field of a monitor', 'PodMonitor assay', 'spec podMetricsEndpoint', [], /podMetricsEndpoint/],
  ['a certificate without an issuer', 'Certificate assay', 'spec issuer', {}, /issuer/],
  ['a host with an underscore', 'DomainMapping assay.example.com', 'metadata name', 'a_b.example.com', /a_b/],
]

describe('in deliberately broken objects', async () => {
  const broken = BREAKS.map(([, name, path, value]) => {
    const found = [...objects, ...byGateway, ...withKeda].find(
      ({ kind, metadata }) => `${kind} ${metadata.name}` === name,
    )
    return withValue(found!, path.split(' '), value)
  })
  const problems = await problemsOf(broken)
  it.each(BREAKS.map(([what, , , , expected], at) => ({ what, expected, at })))(
    '$what is found',
    ({ expected, at }) => {
      expect(problems[at]!.join('\n')).toMatch(expected)
    },
  )
})

function withValue<T extends object>(whole: T, path: string[], value: unknown): T {
  const copy = structuredClone(whole)
  let at = copy as Record<string, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
  at[path.at(-1)!] = value
  return copy
}

describe('the services', () => {
  it('are the units, the runtime and the router, once each, and only the router is visible from outside', () => {
    const names = services.map(({ metadata }) => metadata.name)
    expect(names.toSorted()).toEqual([ROUTER, RUNTIME, ...UNITS.map(unit => unit.name)].toSorted())
    const seen = services.filter(({ metadata }) => !metadata.labels!['networking.knative.dev/visibility'])
    expect(seen).toEqual([service(ROUTER)])
    for (const { metadata, spec } of services) {
      expect(spec.template.spec.containers[0].env[0]).toEqual({ name: 'FUNCTION', value: metadata.name })
    }
  })

  it('serve each operation of the OpenAPI document by exactly one unit', () => {
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

  it('have a read-only disk, except /tmp of the runtime', () => {
    for (const { metadata, spec } of services) {
      const { containers, volumes } = spec.template.spec
      expect(containers[0].securityContext.readOnlyRootFilesystem).toBe(true)
      const mounts = (containers[0].volumeMounts ?? []).map((one: { mountPath: string }) => one.mountPath)
      expect([metadata.name, mounts]).toEqual([metadata.name, metadata.name === RUNTIME ? ['/tmp'] : []])
      expect(volumes?.length ?? 0).toBe(mounts.length)
    }
  })

  it('get only the settings and secrets they need', () => {
    const settingsOf = (name: string, among = services): string[] =>
      service(name, among).spec.template.spec.containers[0].env.map((one: { name: string }) => one.name)
    const secretsOf = (name: string): string[] =>
      service(name).spec.template.spec.containers[0].env.flatMap(
        (one: { name: string; valueFrom?: object }) => (one.valueFrom ? [one.name] : []),
      )
    expect(settingsOf(ROUTER)).toEqual(['FUNCTION', 'ASSAY_LOG_LEVEL', 'ASSAY_UNIT_URL'])
    expect([secretsOf('docs'), secretsOf('health')]).toEqual([[], []])
    expect(secretsOf(RUNTIME)).toEqual(['ASSAY_KEYS'])
    expect(secretsOf('account')).toContain('ASSAY_OPERATOR_KEY')
    expect(secretsOf('agents')).toContain('ASSAY_OPERATOR_KEY')
    expect(secretsOf('tick')).toEqual(expect.arrayContaining(['ASSAY_METRICS_TOKEN', 'ASSAY_SMTP_URL']))
    const others = services
      .map(one => one.metadata.name)
      .filter(name => !['account', 'agents', 'tick'].includes(name))
    for (const name of others)
      expect([name, secretsOf(name).filter(one => /OPERATOR|METRICS|SMTP|MIGRATE|MASTER/.test(one))]).toEqual(
        [name, []],
      )
  })

  it('are the targets of the cron, the domain and the gateway’s route', () => {
    const named = (kind: string, among = objects) => among.filter(one => one.kind === kind)
    expect(named('PingSource').map(({ spec }) => spec.sink.ref.name)).toEqual(['tick'])
    expect(named('DomainMapping').map(({ spec }) => spec.ref.name)).toEqual([ROUTER])
    const [route] = named('HTTPRoute', byGateway)
    expect(route!.spec.rules[0].filters[0].urlRewrite.hostname).toBe(`${ROUTER}.assay.svc.cluster.local`)
  })

  it('have one disruption budget each, and no budget is for a missing service', () => {
    for (const among of [objects, withKeda]) {
      const budgets = among.filter(one => one.kind === 'PodDisruptionBudget')
      const evicted = budgets.map(({ spec }) => spec.selector.matchLabels['serving.knative.dev/service'])
      expect(evicted).toEqual(among.filter(isService).map(({ metadata }) => metadata.name))
    }
  })
})

describe('with KEDA', () => {
  const pods = withKeda.find(one => one.kind === 'Deployment' && one.metadata.name === 'consumer')!.spec
    .template

  it('a consumer that stays up replaces the consume function, and nothing calls that function', () => {
    expect(service('consume', withKeda)).toBeUndefined()
    expect(JSON.stringify(withKeda)).not.toMatch(/ASSAY_CONSUMER_URL|http:\/\/consume\./)
    const names = pods.spec.containers[0].env.map((one: { name: string }) => one.name)
    expect(names).toContain('ASSAY_PARTS')
    expect(names).not.toContain('ASSAY_RUNTIME_URL')
  })

  it('the consumer, which runs bundles itself, may reach what the runtime may, the stores and the trace collector', () => {
    const policies = withKeda.filter(({ kind }) => kind === 'NetworkPolicy')
    const egressOf = (labels: Record<string, string>) =>
      policies.filter(one => one.spec.policyTypes.includes('Egress') && selects(one.spec.podSelector, labels))
    const [ofConsumer, ...others] = egressOf(pods.metadata.labels)
    expect(others).toEqual([])
    const [ofRuntime] = egressOf(service(RUNTIME, withKeda.filter(isService)).spec.template.metadata.labels)
    const ports = (rules: { ports?: { port: number }[] }[]) => rules.at(-1)!.ports!.map(one => one.port)
    expect(ports(ofConsumer!.spec.egress)).toEqual([5432, 6379, 4318])
    expect(ofConsumer!.spec.egress.slice(0, -1)).toEqual(ofRuntime!.spec.egress)
    expect(JSON.stringify(ofRuntime)).toContain('10.40.0.0/16') // agent_networks
  })
})

it('the network policies let each pod reach every address in its settings', () => {
  const reached = [true, false].flatMap(keda =>
    reachedIn(made({ keda, callback_networks: ['10.50.0.0/16'] })),
  )
  expect(new Set(reached.map(({ setting }) => setting))).toEqual(
    new Set([
      ...['ASSAY_UNIT_URL', 'ASSAY_RUNTIME_URL', 'ASSAY_CONSUMER_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      ...['ASSAY_ALLOW_NETWORKS', 'ASSAY_ALLOW_CALLBACK_NETWORKS'],
    ]),
  )
  const kept = reached.filter(({ egress, to }) => !egress.some(rule => letsOut(rule, to)))
  expect(kept.map(({ name, setting, to }) => ({ name, setting, to }))).toEqual([])
})

/** Every address in the environment of a pod, with the egress rules of the pod's policies. */
function reachedIn(all: KubernetesObject[]) {
  const policies = all.filter(
    ({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.includes('Egress'),
  )
  const pods = all.filter(({ spec }) => spec?.template?.spec?.containers)
  return pods.flatMap(({ metadata: { name }, spec: { template } }) => {
    const egress: EgressRule[] = policies
      .filter(one => selects(one.spec.podSelector, template.metadata.labels))
      .flatMap(one => one.spec.egress)
    const settings: { name: string; value?: string }[] = template.spec.containers[0].env
    return settings.flatMap(({ name: setting, value }) =>
      (value ? addressesIn(setting, value) : []).map(to => ({ name, setting, to, egress })),
    )
  })
}

it('Jobs do not retry an error that a person must fix, and keep the pod that reports it', () => {
  const jobs = objects.filter(({ kind }) => kind === 'Job')
  expect(jobs).toHaveLength(2)
  for (const { spec } of jobs) {
    expect(spec.template.spec.restartPolicy).toBe('Never') // the only value that a pod failure policy allows
    expect(spec.podFailurePolicy.rules).toEqual([
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [REFUSED] } },
    ])
  }
})

interface Address {
  /** A namespace of the cluster, */
  namespace?: string
  /** or a private network. */
  cidr?: string
  port: number
}
interface EgressRule {
  to?: { ipBlock?: { cidr: string; except?: string[] }; namespaceSelector?: LabelSelector }[]
  ports?: { port: number }[]
}

const GATEWAY = 'kourier-system'
/** The addresses that a pod calls by a setting; its own public URL and its callers' addresses are none. */
function addressesIn(setting: string, value: string): Address[] {
  if (/^ASSAY_ALLOW_/.test(setting)) return value.split(',').map(cidr => ({ cidr, port: 443 }))
  if (setting === 'BASE_URL' || !/_(URL|ENDPOINT)$/.test(setting)) return []
  const { hostname, port } = new URL(value.replace('{unit}', 'unit'))
  const [, namespace] = hostname.split('.')
  // Services of Knative are called through its gateway.
  return [
    { namespace: hostname.endsWith('.svc.cluster.local') ? GATEWAY : namespace!, port: Number(port) || 80 },
  ]
}

/** Whether a rule lets an address out, as a cluster evaluates it. */
const letsOut = ({ to, ports }: EgressRule, { namespace, cidr, port }: Address) =>
  (ports === undefined || ports.some(one => one.port === port)) &&
  (to === undefined ||
    to.some(({ ipBlock, namespaceSelector }) =>
      namespace === undefined
        ? ipBlock?.cidr === cidr || (ipBlock?.cidr === '0.0.0.0/0' && !ipBlock.except?.includes('10.0.0.0/8'))
        : namespaceSelector && selects(namespaceSelector, { [NAMESPACE_NAME]: namespace }),
    ))
const NAMESPACE_NAME = 'kubernetes.io/metadata.name'

interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: 'In' | 'NotIn'; values: string[] }[]
}

/** Whether a selector matches labels, as a cluster evaluates it. */
const selects = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Record<string, string>,
) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(
    ({ key, operator, values }) => values.includes(labels[key] ?? '') === (operator === 'In'),
  )
