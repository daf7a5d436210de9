// Installations that share a namespace: their files name nothing that another's files name, and lead to nothing of it.

import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { type KubernetesObject, objectsIn, problemsOf } from '../../test/support/kubernetes.ts'
import { Stack } from '../../test/support/openfaas.ts'
import { filesOf, readExample } from './installation.ts'
import { ambiguousName } from './names.ts'
import type { KnativeValues, OpenfaasValues } from './values.ts'

const openfaas = await readExample('openfaas')
const knative = await readExample('knative')
const workerd = await readExample('workerd')
const LONGEST = 'x'.repeat(LIMITS.installation_name_characters)
const host = (installation: string | undefined) => ({
  base_url: `https://${installation ?? 'assay'}.example.com`,
})

const OPENFAAS: [string, Partial<OpenfaasValues>][] = [
  ['by group', {}],
  ['by endpoint', { packaging: 'endpoint', edition: 'standard' }],
  ['by the gateway', { edition: 'standard', copies: { min: 0, max: 4 } }],
]
const KNATIVE: [string, Partial<KnativeValues>][] = [
  ['by group', {}],
  ['with KEDA, by a Gateway', { keda: true, ingress: { ...knative.ingress, by: 'gateway' } }],
  ['by endpoint', { packaging: 'endpoint', ingress: { ...knative.ingress, by: 'gateway' } }],
]

/** All files of an installation: their paths, and the text without comments. */
function filesFor(target: 'openfaas' | 'knative', more: object, installation: string | undefined) {
  const values = {
    ...(target === 'openfaas' ? openfaas : knative),
    ...more,
    ...host(installation),
    installation,
  }
  return filesOf(target, values as never, 'a test')
}
const yaml = (files: [string, string][]) => files.filter(([path]) => /\.ya?ml$/.test(path))
const objectsOf = (files: [string, string][]): KubernetesObject[] =>
  yaml(files)
    .flatMap(([, text]) => objectsIn(text))
    .filter(({ kind }) => kind !== undefined)

/** Objects that the platform names by the host, of which each installation has its own. */
const BY_HOST = ['DomainMapping', 'ClusterDomainClaim']
const placeOf = ({ kind, metadata }: KubernetesObject) =>
  `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
const stackOf = (files: [string, string][]) =>
  Stack.parse(parse(files.find(([path]) => path === 'stack.yml')![1], { version: '1.1' }))

describe.each([
  ...OPENFAAS.map(([how, more]) => ({ target: 'openfaas' as const, how, more })),
  ...KNATIVE.map(([how, more]) => ({ target: 'knative' as const, how, more })),
])('on $target $how,', ({ target, more }) => {
  const names = [undefined, 'staging', 'production', LONGEST]
  const all = names.map(name => ({ name, files: filesFor(target, more, name) }))

  it('no object of one installation has the name of another’s', () => {
    const places = all.flatMap(({ files }) => objectsOf(files).map(placeOf))
    expect(new Set(places).size).toBe(places.length)
  })

  it('every object of a named installation begins with its name and is no longer than a label may be', () => {
    for (const { name, files } of all.filter(one => one.name !== undefined))
      for (const { kind, metadata } of objectsOf(files).filter(one => !BY_HOST.includes(one.kind))) {
        expect(`${kind} ${metadata.name}`).toMatch(new RegExp(`^${kind} assay-${name}(-|$)`))
        expect(metadata.name.length).toBeLessThanOrEqual(63 - '-00001-deployment'.length + 4)
      }
  })

  it('a named installation names nothing of one without a name', () => {
    const [unnamed, staging] = all as [(typeof all)[0], (typeof all)[0]]
    const own = new Set(objectsOf(unnamed.files).map(({ metadata }) => metadata.name))
    const text = staging.files.map(([, one]) => one.replaceAll(/^\s*#.*$/gm, '')).join('\n')
    // Addresses, selectors, secrets and mounts: whatever begins with "assay" goes on with the name.
    const words = [...text.matchAll(/(?<![\w./-])assay[\w-]*/g)].map(([word]) => word)
    expect(words.length).toBeGreaterThan(20)
    const foreign = words.filter(word => !word.startsWith('assay-staging'))
    // How containers and containers' volumes are called within their pods, and an nginx's own words.
    expect(
      foreign.filter(
        word =>
          word !== 'assay' && word !== 'assay_unit' && word !== 'assay_proto' && word !== 'assay-version',
      ),
    ).toEqual([])
    for (const url of text.matchAll(/http:\/\/([\w{}$-]+)\.assay\.svc/g)) expect(own).not.toContain(url[1])
  })

  it('its selectors find its pods alone', () => {
    const [unnamed, staging] = all.map(({ files }) => objectsOf(files))
    const labels = (objects: KubernetesObject[]) => {
      const pods = objects.map(
        one => (one.spec as { template?: { metadata?: { labels?: object } } })?.template,
      )
      return pods.flatMap(one =>
        one?.metadata?.labels ? [one.metadata.labels as Record<string, string>] : [],
      )
    }
    const selectorsOf = (objects: KubernetesObject[]) =>
      [...JSON.stringify(objects).matchAll(/"matchLabels":(\{[^}]*\})/g)].map(
        ([, text]) => JSON.parse(text!) as Record<string, string>,
      )
    const fits = (selector: Record<string, string>) => (pod: Record<string, string>) =>
      Object.entries(selector).every(([key, value]) => pod[key] === value)
    expect(selectorsOf(staging!).length).toBeGreaterThan(0)
    for (const selector of selectorsOf(staging!)) expect(labels(unnamed!).filter(fits(selector))).toEqual([])
    for (const selector of selectorsOf(unnamed!)) expect(labels(staging!).filter(fits(selector))).toEqual([])
  })

  it('its objects are as valid as those without a name', async () => {
    const objects = objectsOf(all[3]!.files).filter(({ apiVersion }) => apiVersion !== 'openfaas.com/v1')
    expect((await problemsOf(objects)).flat()).toEqual([])
  })
})

describe('functions of OpenFaaS of a named installation', () => {
  const [unnamed, staging] = [undefined, 'staging'].map(name => stackOf(filesFor('openfaas', {}, name)))

  it('have names, addresses and secrets of their own, and know the name', () => {
    for (const [name, one] of Object.entries(staging!.functions)) {
      expect(unnamed!.functions).not.toHaveProperty(name)
      expect(name).toBe(`assay-staging-${one.environment.FUNCTION}`)
      expect(one.environment.ASSAY_INSTALLATION).toBe('staging')
      for (const secret of one.secrets ?? []) expect(secret).toMatch(/^assay-staging-|^registry$/)
      for (const url of [one.environment.ASSAY_CONSUMER_URL, one.environment.ASSAY_RUNTIME_URL].filter(
        Boolean,
      ))
        expect(staging!.functions).toHaveProperty(new URL(url!).pathname.split('/')[2]!)
    }
    expect(staging!.functions['assay-staging-router']!.environment.ASSAY_UNIT_URL).toMatch(
      /assay-staging-\{unit\}$/,
    )
    for (const one of Object.values(unnamed!.functions))
      expect(one.environment).not.toHaveProperty('ASSAY_INSTALLATION')
  })

  it('do not fit beside another installation into the community edition', () => {
    const both = { ...unnamed!.functions, ...staging!.functions }
    expect(Object.keys(both).length).toBeGreaterThan(15)
  })

  it('call the tick of their own by cron', () => {
    const called = Object.entries(staging!.functions).filter(([, one]) => one.annotations.topic)
    expect(called.map(([name]) => name)).toEqual(['assay-staging-tick'])
  })
})

it('every container on Knative of a named installation knows its name, whatever runs there', () => {
  const files = filesFor('knative', { keda: true }, 'staging')
  const templates = objectsOf(files).flatMap(one => {
    const spec = one.spec as {
      template?: { spec: { containers: { image: string; env?: { name: string; value?: string }[] }[] } }
    }
    return one.kind === 'Job' ? [] : (spec?.template?.spec.containers ?? [])
  })
  const ours = templates.filter(({ image }) => image === knative.image)
  expect(ours.length).toBeGreaterThan(12)
  for (const { env = [] } of ours)
    expect(env).toContainEqual({ name: 'ASSAY_INSTALLATION', value: 'staging' })
})

it('workerd and its consumer of a named installation have services, folders and settings of their own', () => {
  const files = new Map(filesOf('workerd', { ...workerd, installation: 'staging' }, 'a test'))
  expect([...files.keys()]).toEqual([
    'config.capnp',
    'assay-staging-workerd.service',
    'assay-staging-consumer.service',
  ])
  const services = [...files].filter(([path]) => path.endsWith('.service')).map(([, text]) => text)
  for (const text of services) {
    expect(text).toMatch(/EnvironmentFile=\/etc\/assay-staging\//)
    expect(text).toMatch(/StateDirectory=assay-staging-/)
    expect(text).not.toMatch(/(?<!\w)assay-(workerd|consumer)/)
  }
  expect(files.get('assay-staging-consumer.service')).toMatch(/^Environment=.* ASSAY_INSTALLATION=staging$/m)
  const bound = [...files.get('config.capnp')!.matchAll(/"ASSAY_INSTALLATION", text = "staging"/g)]
  expect(bound.length).toBeGreaterThan(10)
})

it.each([
  ['list', 'assay-list-runs is a function by endpoint of one without a name'],
  ['prod-list', 'assay-prod-list-runs is one by endpoint of "prod"'],
  ['create', 'assay-create-project'],
])(
  'a name such as %s, with which a function would be called as one of another installation, is refused',
  name => {
    expect(ambiguousName(name)).toMatch(new RegExp(`^assay-${name}-`))
  },
)

it.each(['staging', 'production', 'list-a', 'a-b', 'runs', 'router', 'eu', 'team-search'])(
  '%s is no such name',
  name => {
    expect(ambiguousName(name)).toBeUndefined()
  },
)
