// The overlays and components of Knative, as kustomize reads them; where kubectl is there, as it builds them.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { GENERATED, generatedFiles, readGenerated } from '../../test/support/generated.ts'
import { isObjects, type KubernetesObject, objectsIn, problemsOf } from '../../test/support/kubernetes.ts'
import { TRUSTED_PROXIES } from './image.ts'

const FOLDER = join(GENERATED, 'knative')
const files = generatedFiles('knative')
const objects = files.filter(isObjects).flatMap(name => objectsIn(readGenerated('knative', name)))

const Selector = z.strictObject({
  group: z.string().optional(),
  kind: z.string(),
  name: z.string().optional(),
  labelSelector: z.string().optional(),
})
const Options = z.strictObject({ delimiter: z.string().length(1), index: z.number() })
const Kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  images: z
    .array(z.strictObject({ name: z.literal('assay'), newName: z.string(), newTag: z.string() }))
    .optional(),
  configMapGenerator: z
    .array(z.strictObject({ name: z.literal('assay'), literals: z.array(z.string().regex(/^[A-Z_]+=/)) }))
    .optional(),
  resources: z.array(z.string()).optional(),
  configurations: z.array(z.string()).optional(),
  patches: z.array(z.strictObject({ target: Selector, patch: z.string() })).optional(),
  replacements: z
    .array(
      z.strictObject({
        source: z.strictObject({
          kind: z.string(),
          name: z.string(),
          fieldPath: z.string(),
          options: Options.optional(),
        }),
        targets: z.array(
          z.strictObject({ select: Selector, fieldPaths: z.array(z.string()), options: Options.optional() }),
        ),
      }),
    )
    .optional(),
})

describe.each(files.filter(name => name.endsWith('kustomization.yaml')))('%s', name => {
  const kustomization = Kustomization.parse(parse(readGenerated('knative', name)))

  it('names files and folders that are there', () => {
    const { resources = [], configurations = [] } = kustomization
    const paths = [...resources, ...configurations].map(path => join(FOLDER, dirname(name), path))
    expect(paths.filter(path => !existsSync(path)).map(path => relative(FOLDER, path))).toEqual([])
  })

  it('changes objects that are there', () => {
    for (const { target } of kustomization.patches ?? []) {
      const fits = objects.filter(
        ({ apiVersion, kind, metadata }) =>
          kind === target.kind &&
          metadata.name === (target.name ?? metadata.name) &&
          apiVersion.startsWith(target.group ?? ''),
      )
      expect(fits).not.toEqual([])
    }
  })
})

const kubectl = (() => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!kubectl)('built by kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-overlays-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** What an operator gets who renames the namespace and the host, and adds components. */
  function build(installation: string, ...components: string[]): KubernetesObject[] {
    const source = join(FOLDER, 'overlays', installation)
    const own = parse(readGenerated('knative', `overlays/${installation}/kustomization.yaml`))
    const [, ...literals] = own.configMapGenerator[0].literals
    const edited = {
      ...own,
      namespace: 'elsewhere',
      images: [{ name: 'assay', newName: 'localhost:5000/ours', newTag: '7' }],
      configMapGenerator: [{ name: 'assay', literals: ['BASE_URL=https://assay.test', ...literals] }],
      resources: own.resources.map((path: string) => relative(folder, join(source, path))),
      components: components.map(name => relative(folder, join(FOLDER, 'components', name))),
    }
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(edited))
    const args = ['kustomize', '--load-restrictor=LoadRestrictionsNone', folder]
    return objectsIn(execFileSync('kubectl', args, { encoding: 'utf8' }))
  }
  const scaleOf = ({ spec }: KubernetesObject) =>
    spec.template.metadata.annotations['autoscaling.knative.dev/min-scale']

  it('staging sleeps as a whole, and production but for what is called when there is work', () => {
    const scales = (installation: string) =>
      Object.fromEntries(
        build(installation)
          .filter(({ apiVersion }) => apiVersion === 'serving.knative.dev/v1')
          .map(one => [one.metadata.name, scaleOf(one)]),
      )
    expect(new Set(Object.values(scales('staging')))).toEqual(new Set(['0']))
    const { consume, runtime, tick, ...others } = scales('production')
    expect([consume, runtime, tick]).toEqual(['0', '0', '0'])
    expect(new Set(Object.values(others))).toEqual(new Set(['1']))
  })

  it('an installation takes its names from the top of its overlay, all of them', async () => {
    const built = build('production', 'domain', 'gateway', 'keda', 'prometheus')
    expect(await problemsOf(built)).toEqual(built.map(() => []))
    expect(new Set(built.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['elsewhere']))
    const settings = built.find(({ kind }) => kind === 'ConfigMap')!
    expect(settings.data).toEqual({
      BASE_URL: 'https://assay.test',
      ASSAY_CONSUMER_URL: 'http://consume.elsewhere.svc.cluster.local',
      ASSAY_RUNTIME_URL: 'http://runtime.elsewhere.svc.cluster.local',
      ASSAY_UNIT_URL: 'http://{unit}.elsewhere.svc.cluster.local',
      ASSAY_TRUSTED_PROXIES: TRUSTED_PROXIES,
    })
    const text = JSON.stringify(built)
    expect(text).not.toContain('example.com')
    expect(text).toContain('localhost:5000/ours:7')
    // By its hash, so that a changed setting makes new revisions.
    expect(settings.metadata.name).toMatch(/^assay-\w{10}$/)
    expect(text).not.toContain('"configMapRef":{"name":"assay"}')
  })

  it('the consumer of KEDA takes the place of the function', () => {
    const built = build('staging', 'keda')
    expect(built.filter(({ metadata }) => metadata.name === 'consume')).toEqual([])
    const runs = built.find(({ metadata }) => metadata.name === 'runs')!
    expect(runs.spec.template.spec.containers[0].env).toContainEqual({
      name: 'ASSAY_CONSUMER_URL',
      value: '',
    })
  })
})
