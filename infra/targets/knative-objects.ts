// What runs on Knative: a Service for each unit, the clock that calls the tick, the schema's migration, and who may
// reach what.

import type { IService } from '@kubernetes-models/knative/serving.knative.dev/v1/Service'
import type { IPingSource } from '@kubernetes-models/knative/sources.knative.dev/v1/PingSource'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type {
  INetworkPolicy,
  INetworkPolicyEgressRule,
  INetworkPolicyPeer,
} from 'kubernetes-models/networking.k8s.io/v1'
import type { IContainer } from 'kubernetes-models/v1/Container'
import { LIMITS } from '../../shared/domain/limits.ts'
import {
  COMMAND,
  HEALTH_PATH,
  IMAGE,
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
const TARGET: Record<Role, number> = { router: 100, api: 50, consumer: 1, tick: 1 }
const MOST_COPIES: Record<Role, number> = {
  router: 4,
  api: 4,
  consumer: LIMITS.consumers.default + 1, // one leaves while its successor begins
  tick: 1,
}

function serviceOf(workload: Workload): IService {
  const { name, role } = workload
  const labels = { ...PART, [ROLE]: role }
  const timeoutSeconds = role === 'consumer' || role === 'tick' ? PLATFORM_CALL_S : STREAM_S
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
          ...(role === 'consumer' ? { volumes: [SCRATCH] } : {}),
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
    ...(workload.role === 'consumer' ? { volumeMounts: [{ name: SCRATCH.name, mountPath: '/tmp' }] } : {}),
  }
}

/** The router needs no secret. */
function environmentOf({ name, role }: Workload): Pick<IContainer, 'env' | 'envFrom'> {
  const secret = role === 'router' ? [] : [{ secretRef: { name: SETTINGS } }]
  return {
    env: [{ name: 'FUNCTION', value: name }],
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

const NAMESPACE_NAME = 'kubernetes.io/metadata.name'
/** Through which every request to a Service of Knative comes, from outside and from other functions alike. */
const GATEWAYS: INetworkPolicyPeer = {
  namespaceSelector: {
    matchExpressions: [
      {
        key: NAMESPACE_NAME,
        operator: 'In',
        values: ['knative-serving', 'kourier-system', 'istio-system', 'contour-internal', 'contour-external'],
      },
    ],
  },
}
const DNS: INetworkPolicyEgressRule = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}
// Agents, callbacks and stores may be anywhere; credentials of the machine itself are nobody's.
const ANYWHERE: INetworkPolicyEgressRule = {
  to: [
    { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
    { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
    { namespaceSelector: {} },
  ],
}

const policy = (name: string, spec: NonNullable<INetworkPolicy['spec']>): INetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, labels: PART },
  spec,
})

export const policies: INetworkPolicy[] = [
  policy('in-by-gateways', {
    podSelector: { matchLabels: PART },
    policyTypes: ['Ingress'],
    ingress: [{ from: [GATEWAYS] }],
  }),
  policy('out-of-router', {
    podSelector: { matchLabels: { ...PART, [ROLE]: 'router' } },
    policyTypes: ['Egress'],
    egress: [DNS, { to: [GATEWAYS] }],
  }),
  policy('out-of-functions', {
    podSelector: {
      matchLabels: PART,
      matchExpressions: [{ key: ROLE, operator: 'NotIn', values: ['router'] }],
    },
    policyTypes: ['Egress'],
    egress: [DNS, ANYWHERE],
  }),
]
