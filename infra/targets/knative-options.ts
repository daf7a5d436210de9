// What an installation on Knative may add: a host name of its own, a way in by the Gateway API, a consumer that KEDA
// scales by the backlog, and a bound on how many copies may be evicted at once.

import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import type { IReferenceGrant } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1beta1/ReferenceGrant'
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import type { ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication'
import type { IDomainMapping } from '@kubernetes-models/knative/serving.knative.dev/v1beta1/DomainMapping'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { LIMITS } from '../../shared/domain/limits.ts'
import { IMAGE, LARGE, METRICS_PATH, METRICS_TOKEN, ROUTER, SERVER_COMMAND, WORKLOADS } from './image.ts'
import { CONFINED, PART, ROLE, SCRATCH, SETTINGS } from './knative-objects.ts'

/** Replaced by the host of BASE_URL. */
const HOST = 'assay.example.com'

export const domainMapping: IDomainMapping = {
  apiVersion: 'serving.knative.dev/v1beta1',
  kind: 'DomainMapping',
  metadata: { name: HOST, labels: PART },
  spec: { ref: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: ROUTER } },
}

const KOURIER = 'kourier-system'

export const httpRoute: IHTTPRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'assay', labels: PART },
  spec: {
    parentRefs: [{ name: 'public', namespace: 'gateways' }],
    hostnames: [HOST],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        // Knative finds its Service by the host.
        filters: [{ type: 'URLRewrite', urlRewrite: { hostname: `${ROUTER}.assay.svc.cluster.local` } }],
        backendRefs: [{ name: 'kourier-internal', namespace: KOURIER, port: 80 }],
      },
    ],
  },
}

/** Stands in Kourier's namespace, so no overlay can hold it. */
export const referenceGrant = (namespaces: readonly string[]): IReferenceGrant => ({
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'assay', namespace: KOURIER },
  spec: {
    from: namespaces.map(namespace => ({ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace })),
    to: [{ group: '', kind: 'Service', name: 'kourier-internal' }],
  },
})

const CONSUMER_LABELS = { ...PART, [ROLE]: 'consumer' }

/** One that stays up and looks for work itself. KEDA cannot scale what Knative scales. */
export const consumer: IDeployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'consumer', labels: CONSUMER_LABELS },
  spec: {
    selector: { matchLabels: { ...CONSUMER_LABELS, 'app.kubernetes.io/name': 'consumer' } },
    template: {
      metadata: { labels: { ...CONSUMER_LABELS, 'app.kubernetes.io/name': 'consumer' } },
      spec: {
        terminationGracePeriodSeconds: 30, // it gives items back after LIMITS.drain_ms
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        containers: [
          {
            name: 'assay',
            image: IMAGE,
            command: SERVER_COMMAND,
            env: [
              { name: 'ASSAY_PARTS', value: 'consumer' },
              { name: 'ASSAY_DATA_DIR', value: '/tmp/assay' },
              { name: 'ASSAY_RUNTIME_URL', value: '' }, // it runs bundles itself, for as long as they take
            ],
            envFrom: [{ configMapRef: { name: SETTINGS } }, { secretRef: { name: SETTINGS } }],
            resources: LARGE,
            securityContext: CONFINED,
            volumeMounts: [{ name: SCRATCH.name, mountPath: '/tmp' }],
          },
        ],
        volumes: [SCRATCH],
      },
    },
  },
}

/** Items of open runs that have no verdict yet and wait for nobody's decision; read from the runs alone. */
export const BACKLOG_QUERY =
  'select coalesce(sum(total_items - ok - degraded - failed - budget_exceeded - cancelled - paused), 0) ' +
  'from runs where finished_at is null and stop_reason is null'

export const databaseAuthentication: ITriggerAuthentication = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'TriggerAuthentication',
  metadata: { name: 'assay-database', labels: PART },
  spec: { secretTargetRef: [{ parameter: 'connection', name: SETTINGS, key: 'DATABASE_URL' }] },
}

export const consumerScale: IScaledObject = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name: 'consumer', labels: PART },
  spec: {
    scaleTargetRef: { name: 'consumer' },
    minReplicaCount: 0,
    maxReplicaCount: LIMITS.consumers.default,
    pollingInterval: 5,
    cooldownPeriod: 60,
    triggers: [
      {
        type: 'postgresql',
        authenticationRef: { name: 'assay-database' },
        metadata: {
          query: BACKLOG_QUERY,
          targetQueryValue: String(LIMITS.items_in_flight_per_consumer),
          activationTargetQueryValue: '0',
        },
      },
    ],
  },
}

/** How the operator of Prometheus finds the tick: its pods, so that being asked keeps none awake. */
export const podMonitor = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata: { name: 'assay', labels: PART },
  spec: {
    selector: { matchLabels: { ...PART, [ROLE]: 'tick' } },
    podMetricsEndpoints: [
      {
        port: 'user-port', // as Knative names that of the container
        path: METRICS_PATH,
        interval: '30s',
        authorization: { type: 'Bearer', credentials: { name: SETTINGS, key: METRICS_TOKEN } },
      },
    ],
  },
} as const

/**
 * One copy of each Service at a time. `minAvailable: 1` would keep a node from ever being drained of a Service that has
 * one copy; and what is at zero has nothing to evict.
 */
export const disruptionBudgets: IPodDisruptionBudget[] = WORKLOADS.map(({ name }) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, labels: PART },
  spec: {
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: { matchLabels: { 'serving.knative.dev/service': name } },
  },
}))
