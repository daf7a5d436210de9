// Generates the Knative objects: a Service for each unit and for the agent runtime, and the PingSource that calls the
// tick.

import type { IService } from '@kubernetes-models/knative/serving.knative.dev/v1/Service'
import type { IPingSource } from '@kubernetes-models/knative/sources.knative.dev/v1/PingSource'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IContainer } from 'kubernetes-models/v1/Container'
import { prefixOf } from '../../shared/kernel/installation-name.ts'
import { settingsOf } from './environment.ts'
import {
  COMMAND,
  CONSUMER,
  HEALTH_PATH,
  PORT,
  ROUTER,
  type Role,
  RUNTIME,
  roomOf,
  TICK,
  type Workload,
  workloadsOf,
} from './image.ts'
import { namedWithin } from './names.ts'
import { CONFINED, partOf, ROLE, SCRATCH, SCRATCH_MOUNT } from './pods.ts'
import { type Place, secretVariables } from './run-once.ts'
import { PROBES, timesOf } from './times.ts'
import type { KnativeValues } from './values.ts'

/** Concurrent requests per copy above which another copy is started. */
const TARGET: Record<Role, number> = { router: 100, api: 50, consumer: 1, tick: 1, runtime: 8 }

/** The workloads that run as Services; with KEDA its own consumer replaces the function. */
export const knativeWorkloads = ({ packaging, keda }: KnativeValues): Workload[] =>
  workloadsOf(packaging).filter(one => !(keda && one.name === CONSUMER))

/** The name of the Secret. */
export const secretOf = ({ secret, installation }: KnativeValues) => secret ?? prefixOf(installation)

/** The place of secrets: one Secret holds all of them, each under its name. */
export const placeOf = (values: KnativeValues): Place => ({
  values,
  placeOf: secret => ({ name: secretOf(values), key: secret }),
})

/** The URLs at which workloads reach each other; nobody calls a consumer that stays up, since it listens to Redis. */
export const addressesOf = (values: KnativeValues) => {
  const at = (unit: string) => `http://${namedWithin(values, unit)}.${values.namespace}.svc.cluster.local`
  return { unit: at('{unit}'), consumer: values.keda ? null : at(CONSUMER), runtime: at(RUNTIME) }
}

export const services = (values: KnativeValues): IService[] =>
  knativeWorkloads(values).map(workload => serviceOf(workload, values))

function serviceOf(workload: Workload, values: KnativeValues): IService {
  const { name, role } = workload
  const labels = { ...partOf(values), [ROLE]: role }
  const timeoutSeconds = timesOf(values.consumer_seconds).request_s[role]
  const { image_pull_secret } = values
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: {
      name: namedWithin(values, name),
      namespace: values.namespace,
      labels: name === ROUTER ? labels : { ...labels, 'networking.knative.dev/visibility': 'cluster-local' },
    },
    spec: {
      template: {
        metadata: { labels, annotations: scaleOf(workload, values) },
        spec: {
          // A consumer takes as many items as one process can hold, so a second call needs a second copy.
          containerConcurrency: role === 'consumer' ? 1 : 0,
          timeoutSeconds,
          responseStartTimeoutSeconds: timeoutSeconds, // a consumer responds only when it ends
          enableServiceLinks: false,
          ...(image_pull_secret ? { imagePullSecrets: [{ name: image_pull_secret }] } : {}),
          containers: [containerOf(workload, values)],
          ...(role === 'runtime' ? { volumes: [SCRATCH] } : {}),
        },
      },
    },
  }
}

function scaleOf({ role }: Workload, { copies, consumers_max }: KnativeValues): Record<string, string> {
  const isWaitedFor = role === 'router' || role === 'api'
  const most: Record<Role, number> = {
    router: copies.max,
    api: copies.max,
    runtime: copies.max,
    consumer: consumers_max + 1, // one ends while its successor starts
    tick: 1,
  }
  return {
    'autoscaling.knative.dev/class': 'kpa.autoscaling.knative.dev',
    'autoscaling.knative.dev/metric': 'concurrency',
    'autoscaling.knative.dev/target': String(TARGET[role]),
    'autoscaling.knative.dev/min-scale': String(isWaitedFor ? copies.min : 0),
    'autoscaling.knative.dev/max-scale': String(most[role]),
  }
}

/** The container of a workload; Knative sets PORT. */
function containerOf(workload: Workload, values: KnativeValues): IContainer {
  const probe = { httpGet: { path: HEALTH_PATH, port: PORT } }
  const settings = settingsOf(workload, values, addressesOf(values))
  return {
    name: 'assay',
    image: values.image,
    command: COMMAND,
    ports: [{ name: 'http1', containerPort: PORT }],
    env: [
      ...Object.entries(settings).map(([name, value]) => ({ name, value })),
      ...secretVariables(placeOf(values), workload.needs),
    ],
    readinessProbe: { ...probe, ...PROBES.readiness },
    livenessProbe: { ...probe, ...PROBES.liveness },
    resources: roomOf(workload),
    securityContext: CONFINED,
    ...(workload.role === 'runtime' ? { volumeMounts: [SCRATCH_MOUNT] } : {}),
  }
}

export const tickSource = (values: KnativeValues): IPingSource => ({
  apiVersion: 'sources.knative.dev/v1',
  kind: 'PingSource',
  metadata: { name: namedWithin(values, TICK), namespace: values.namespace, labels: partOf(values) },
  spec: {
    schedule: '* * * * *',
    timezone: 'UTC',
    contentType: 'application/json',
    data: '{}',
    sink: { ref: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: namedWithin(values, TICK) } },
  },
})

/**
 * Lets one copy of each Service be evicted at a time. `minAvailable: 1` would prevent draining a node with a Service's
 * only copy; a Service at zero has nothing to evict.
 */
export const disruptionBudgets = (values: KnativeValues): IPodDisruptionBudget[] =>
  knativeWorkloads(values).map(({ name }) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: namedWithin(values, name), namespace: values.namespace, labels: partOf(values) },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { 'serving.knative.dev/service': namedWithin(values, name) } },
    },
  }))
