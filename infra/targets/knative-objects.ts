// What runs on Knative: a Service for each unit and for what runs agents, the clock that calls the tick, and the
// schema's migration.

import type { IService } from '@kubernetes-models/knative/serving.knative.dev/v1/Service'
import type { IPingSource } from '@kubernetes-models/knative/sources.knative.dev/v1/PingSource'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { IContainer } from 'kubernetes-models/v1/Container'
import { LIMITS } from '../../shared/domain/limits.ts'
import {
  COMMAND,
  HEALTH_PATH,
  IMAGE,
  LONGEST_CALL_S,
  MIGRATE_COMMAND,
  PLATFORM_CALL_S,
  PORT,
  ROUTER,
  type Role,
  roomOf,
  SMALL,
  STREAM_S,
  TICK,
  WORKLOADS,
  type Workload,
} from './image.ts'

/** The operator's: a Secret with the settings that are secret, and a ConfigMap with all others. */
export const SETTINGS = 'assay'
export const PART = { 'app.kubernetes.io/part-of': 'assay' }
export const ROLE = 'app.kubernetes.io/component'

/** Requests at once for which one more copy is started. */
const TARGET: Record<Role, number> = { router: 100, api: 50, consumer: 1, tick: 1, runtime: 8 }
const MOST_COPIES: Record<Role, number> = {
  router: 4,
  api: 4,
  consumer: LIMITS.consumers.default + 1, // one leaves while its successor begins
  tick: 1,
  runtime: 4,
}
/** An installation allows 300 s unless it is told otherwise. */
const TIMES: Record<Role, number> = {
  router: STREAM_S,
  api: STREAM_S,
  consumer: LONGEST_CALL_S,
  tick: PLATFORM_CALL_S,
  runtime: LONGEST_CALL_S,
}

function serviceOf(workload: Workload): IService {
  const { name, role } = workload
  const labels = { ...PART, [ROLE]: role }
  const timeoutSeconds = TIMES[role]
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: {
      name,
      labels: name === ROUTER ? labels : { ...labels, 'networking.knative.dev/visibility': 'cluster-local' },
    },
    spec: {
      template: {
        metadata: {
          labels,
          annotations: {
            'autoscaling.knative.dev/class': 'kpa.autoscaling.knative.dev',
            'autoscaling.knative.dev/metric': 'concurrency',
            'autoscaling.knative.dev/target': String(TARGET[role]),
            'autoscaling.knative.dev/min-scale': '0',
            'autoscaling.knative.dev/max-scale': String(MOST_COPIES[role]),
          },
        },
        spec: {
          // A consumer takes what one process can hold; a second call is a second copy. Others are never full.
          containerConcurrency: role === 'consumer' ? 1 : 0,
          timeoutSeconds,
          responseStartTimeoutSeconds: timeoutSeconds, // nothing comes of a consumer until it ends
          enableServiceLinks: false,
          containers: [containerOf(workload)],
          ...(role === 'runtime' ? { volumes: [SCRATCH] } : {}),
        },
      },
    },
  }
}

/** Where the processes of agents have their files; everything else is read-only. */
export const SCRATCH = { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }

/** What a container may do: nothing beyond its own memory and its network. */
export const CONFINED: NonNullable<IContainer['securityContext']> = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

/** PORT comes from Knative. */
function containerOf(workload: Workload): IContainer {
  const probe = { httpGet: { path: HEALTH_PATH, port: PORT } }
  return {
    name: 'assay',
    image: IMAGE,
    command: COMMAND,
    ports: [{ name: 'http1', containerPort: PORT }],
    ...environmentOf(workload),
    readinessProbe: { ...probe, periodSeconds: 1 },
    livenessProbe: { ...probe, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    resources: roomOf(workload),
    securityContext: CONFINED,
    ...(workload.role === 'runtime' ? { volumeMounts: [{ name: SCRATCH.name, mountPath: '/tmp' }] } : {}),
  }
}

/** The router needs no secret. */
function environmentOf({ name, role }: Workload): Pick<IContainer, 'env' | 'envFrom'> {
  const secret = role === 'router' ? [] : [{ secretRef: { name: SETTINGS } }]
  const time =
    role === 'consumer' ? [{ name: 'ASSAY_CONSUME_SECONDS', value: String(LIMITS.consume_seconds.max) }] : []
  // A PingSource sends no credentials.
  const open = role === 'tick' ? [{ name: 'ASSAY_TICK_OPEN', value: 'true' }] : []
  return {
    env: [{ name: 'FUNCTION', value: name }, ...time, ...open],
    envFrom: [{ configMapRef: { name: SETTINGS } }, ...secret],
  }
}

export const services: IService[] = WORKLOADS.map(serviceOf)

export const tickSource: IPingSource = {
  apiVersion: 'sources.knative.dev/v1',
  kind: 'PingSource',
  metadata: { name: TICK, labels: PART },
  spec: {
    schedule: '* * * * *',
    timezone: 'UTC',
    contentType: 'application/json',
    data: '{}',
    sink: { ref: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: TICK } },
  },
}

export const migration: IJob = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', labels: { ...PART, [ROLE]: 'migration' } },
  spec: {
    backoffLimit: 6,
    ttlSecondsAfterFinished: 3600,
    template: {
      metadata: { labels: { ...PART, [ROLE]: 'migration' } },
      spec: {
        restartPolicy: 'OnFailure',
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        containers: [
          {
            name: 'migrate',
            image: IMAGE,
            command: MIGRATE_COMMAND,
            envFrom: [{ secretRef: { name: SETTINGS } }],
            resources: SMALL,
            securityContext: CONFINED,
          },
        ],
      },
    },
  },
}
