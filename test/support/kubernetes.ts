// Reports what a cluster would refuse in an object, or would accept and ignore. The models of npm check types, enums
// and required fields. TypeScript assigns the object to the model's type, which finds unknown fields. Rules of Knative
// that are in no schema stand below.

import { join } from 'node:path'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Texts; annotations?: Texts }
  // Any type: this module checks whether it is what its kind needs.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  spec?: any
  data?: Texts
}
type Texts = Record<string, string>

/** The objects of a file, read as YAML 1.1. */
export const objectsIn = (text: string): KubernetesObject[] =>
  parseAllDocuments(text, { version: '1.1' }).map(document => document.toJS())

/** What is wrong with each of the objects, in their order. */
export async function problemsOf(objects: readonly KubernetesObject[]): Promise<string[][]> {
  const found = objects.map(object => [...namingProblems(object), ...knativeProblems(object)])
  for (const [at, object] of objects.entries()) found[at]!.push(...unmodelledProblems(object))
  const known = objects.flatMap((object, at) =>
    schemaOf(object) ? [] : [{ object, at, model: modelOf(object) }],
  )
  for (const { object, at, model } of known) found[at]!.push(...(await modelProblems(object, model)))
  for (const { at, message } of typeProblems(known)) found[known[at]!.at]!.push(message)
  return found
}

const ROOT = join(import.meta.dirname, '../..')

/** The module that has the class and the type of the object's kind. */
function modelOf({ apiVersion, kind }: KubernetesObject): string {
  const [group] = apiVersion.split('/')
  const models = group!.endsWith('knative.dev')
    ? '@kubernetes-models/knative'
    : group === 'keda.sh'
      ? '@kubernetes-models/keda'
      : group === 'gateway.networking.k8s.io'
        ? '@kubernetes-models/gateway-api'
        : 'kubernetes-models'
  return `${models}/${apiVersion}/${kind}`
}

async function modelProblems(object: KubernetesObject, model: string): Promise<string[]> {
  try {
    const { [object.kind]: Model } = await import(model)
    new Model(structuredClone(object)).validate()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

interface Known {
  object: KubernetesObject
  at: number
  model: string
}

/** One program for all: most of its time goes into reading the types. */
function typeProblems(known: readonly Known[]): { at: number; message: string }[] {
  const lines = known.map(
    ({ object, at, model }) =>
      `import type { I${object.kind} as T${at} } from '${model}'; export const o${at}: T${at} = ${JSON.stringify(object)}`,
  )
  const name = join(ROOT, 'manifests-as-types.ts')
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = path => path === name || fileExists(path)
  host.getSourceFile = (path, ...rest) =>
    path === name
      ? ts.createSourceFile(path, lines.join('\n'), ts.ScriptTarget.ES2022)
      : getSourceFile(path, ...rest)
  const program = ts.createProgram([name], options, host)
  const file = program.getSourceFile(name)!
  return ts.getPreEmitDiagnostics(program, file).map(({ start, messageText }) => ({
    at: file.getLineAndCharacterOfPosition(start ?? 0).line,
    message: ts.flattenDiagnosticMessageText(messageText, ' '),
  }))
}

/** The fields we use of the Prometheus operator, whose kinds have no models on npm (prometheus-operator, api.md). */
const PodMonitor = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('PodMonitor'),
  metadata: z.strictObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()),
  }),
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    podMetricsEndpoints: z.array(
      z.strictObject({
        port: z.string(),
        path: z.string().startsWith('/'),
        interval: z.string().regex(/^\d+s$/),
        authorization: z.strictObject({
          type: z.literal('Bearer'),
          credentials: z.strictObject({ name: z.string(), key: z.string() }),
        }),
      }),
    ),
  }),
})

const ownMetadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()),
})

/** The fields we use of cert-manager (cert-manager.io, reference of v1). */
const Certificate = z.strictObject({
  apiVersion: z.literal('cert-manager.io/v1'),
  kind: z.literal('Certificate'),
  metadata: ownMetadata,
  spec: z.strictObject({
    secretName: z.string(),
    secretTemplate: z.strictObject({ labels: z.record(z.string(), z.string()) }),
    dnsNames: z.array(z.string()),
    issuerRef: z.strictObject({ name: z.string(), kind: z.enum(['Issuer', 'ClusterIssuer']) }),
  }),
})

/** Says which namespace may use a host (knative/networking, pkg/apis/networking/v1alpha1). */
const ClusterDomainClaim = z.strictObject({
  apiVersion: z.literal('networking.internal.knative.dev/v1alpha1'),
  kind: z.literal('ClusterDomainClaim'),
  metadata: ownMetadata,
  spec: z.strictObject({ namespace: z.string() }),
})

/** Kinds that have no models on npm. */
const UNMODELLED: Record<string, z.ZodType> = { PodMonitor, Certificate, ClusterDomainClaim }
const schemaOf = ({ kind }: KubernetesObject) => UNMODELLED[kind]

function unmodelledProblems(object: KubernetesObject): string[] {
  const error = schemaOf(object)?.safeParse(object).error
  return error ? [error.message] : []
}

const LABEL = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
/** The annotations we use; a platform ignores unknown ones. */
const ANNOTATIONS = [
  ...['class', 'metric', 'target', 'min-scale', 'max-scale'].map(name => `autoscaling.knative.dev/${name}`),
  'cert-manager.io/cluster-issuer',
  ...['body-size', 'request-buffering', 'buffering', 'read-timeout', 'send-timeout'].map(
    name => `nginx.ingress.kubernetes.io/proxy-${name}`,
  ),
]
const LABELS: Record<string, RegExp> = {
  'app.kubernetes.io/part-of': /^assay(-[a-z0-9-]+)?$/,
  'app.kubernetes.io/component':
    /^(router|api|consumer|tick|runtime|standing-consumer|migration|account|pooler|ingress)$/,
  'app.kubernetes.io/name': LABEL,
  'networking.knative.dev/visibility': /^cluster-local$/,
}

function namingProblems({ kind, metadata, spec }: KubernetesObject): string[] {
  const inner = spec?.template?.metadata ?? {}
  const annotations = { ...metadata.annotations, ...inner.annotations }
  const labels: [string, string][] = Object.entries({ ...metadata.labels, ...inner.labels })
  return [
    ...((/^(DomainMapping|ClusterDomainClaim)$/.test(kind) ? HOST : LABEL).test(metadata.name)
      ? []
      : [`${metadata.name} is no name for a ${kind}`]),
    ...Object.keys(annotations)
      .filter(name => !ANNOTATIONS.includes(name))
      .map(name => `annotation ${name} is not one we use`),
    ...labels
      .filter(([name, value]) => !LABELS[name]?.test(value))
      .map(([name, value]) => `label ${name}: ${value} is not one we use`),
  ]
}

// Fields that Knative's webhook accepts unless a feature flag allows more (serving, pkg/apis/serving/fieldmask.go).
const REVISION = [
  'containerConcurrency',
  'timeoutSeconds',
  'responseStartTimeoutSeconds',
  'idleTimeoutSeconds',
]
const POD = ['serviceAccountName', 'containers', 'volumes', 'imagePullSecrets', 'enableServiceLinks']
const CONTAINER = [
  ...[
    'name',
    'args',
    'command',
    'env',
    'envFrom',
    'workingDir',
    'image',
    'imagePullPolicy',
    'ports',
    'resources',
  ],
  ...['livenessProbe', 'readinessProbe', 'securityContext', 'volumeMounts'],
]
const LONGEST_TIMEOUT_S = 600

function knativeProblems({ apiVersion, kind, spec }: KubernetesObject): string[] {
  if (apiVersion !== 'serving.knative.dev/v1' || kind !== 'Service') return []
  const revision = spec.template.spec
  const container = revision.containers[0]
  const own = (container.env ?? []).map((one: { name: string }) => one.name)
  return [
    ...others(revision, [...REVISION, ...POD]),
    ...others(container, CONTAINER),
    ...(revision.containers.length === 1 ? [] : ['more than one container']),
    ...(container.ports?.length === 1 ? [] : ['not exactly one port']),
    ...own
      .filter((name: string) => /^(PORT|K_.*)$/.test(name))
      .map((name: string) => `${name} is Knative's to set`),
    ...(revision.timeoutSeconds > LONGEST_TIMEOUT_S
      ? ['timeoutSeconds is beyond what installations allow']
      : []),
    ...(revision.responseStartTimeoutSeconds > revision.timeoutSeconds
      ? ['responseStartTimeoutSeconds is beyond timeoutSeconds']
      : []),
  ]
}

const others = (value: object, known: readonly string[]) =>
  Object.keys(value)
    .filter(key => !known.includes(key))
    .map(key => `Knative takes no ${key}`)
