// What an installation on Knative may have besides: a consumer that KEDA scales by the backlog, and what lets the
// operator of Prometheus find the metrics.

import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import type { ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { settingsOf } from './environment.ts'
import { CONSUMER, LARGE, METRICS_PATH, SERVER_COMMAND, workloadsOf } from './image.ts'
import { addressesOf, placeOf } from './knative-objects.ts'
import { CONFINED, PART, ROLE, SCRATCH, SCRATCH_MOUNT } from './pods.ts'
import { secretVariables } from './run-once.ts'
import { CONSUMER_GRACE_S } from './times.ts'
import type { KnativeValues } from './values.ts'

const NAME = 'consumer'
/** It runs bundles, so it is told from functions by its role: policies give it the network of the runtime. */
export const STANDING_ROLE = 'standing-consumer'
const LABELS = { ...PART, [ROLE]: STANDING_ROLE, 'app.kubernetes.io/name': NAME }

export const kedaObjects = (values: KnativeValues): [IDeployment, ITriggerAuthentication, IScaledObject] => [
  standingConsumer(values),
  databaseAuthentication(values),
  scaleByBacklog(values),
]

/** One that stays up and looks for work itself. KEDA cannot scale what Knative scales. */
function standingConsumer(values: KnativeValues): IDeployment {
  const workload = workloadsOf(values.packaging).find(one => one.name === CONSUMER)!
  const told = settingsOf(workload, values, addressesOf(values))
  // It is a server with one part, which works for as long as it is up and runs bundles itself.
  const { FUNCTION, ASSAY_RUNTIME_URL, ASSAY_CONSUMER_URL, ASSAY_CONSUME_SECONDS, ...settings } = told
  const own = { ASSAY_PARTS: 'consumer', ASSAY_DATA_DIR: '/tmp/assay', ...settings }
  const { namespace, image, image_pull_secret } = values
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace, labels: LABELS },
    spec: {
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          terminationGracePeriodSeconds: CONSUMER_GRACE_S,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          ...(image_pull_secret ? { imagePullSecrets: [{ name: image_pull_secret }] } : {}),
          containers: [
            {
              name: 'assay',
              image,
              command: SERVER_COMMAND,
              env: [
                ...Object.entries(own).map(([name, value]) => ({ name, value })),
                ...secretVariables(placeOf(values), workload.needs),
              ],
              resources: LARGE,
              securityContext: CONFINED,
              volumeMounts: [SCRATCH_MOUNT],
            },
          ],
          volumes: [SCRATCH],
        },
      },
    },
  }
}

/** Items of open runs that have no verdict yet and wait for nobody's decision; read from the runs alone. */
export const BACKLOG_QUERY =
  'select coalesce(sum(total_items - ok - degraded - failed - budget_exceeded - cancelled - paused), 0) ' +
  'from runs where finished_at is null and stop_reason is null'

const AUTHENTICATION = 'assay-database'

/** Not through a pooler: KEDA's driver prepares its statement. */
function databaseAuthentication({ namespace, secret: name, secrets }: KnativeValues): ITriggerAuthentication {
  const key = secrets.includes('DATABASE_MIGRATE_URL') ? 'DATABASE_MIGRATE_URL' : 'DATABASE_URL'
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'TriggerAuthentication',
    metadata: { name: AUTHENTICATION, namespace, labels: PART },
    spec: { secretTargetRef: [{ parameter: 'connection', name, key }] },
  }
}

const scaleByBacklog = ({ namespace, consumers_max }: KnativeValues): IScaledObject => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name: NAME, namespace, labels: PART },
  spec: {
    scaleTargetRef: { name: NAME },
    minReplicaCount: 0,
    maxReplicaCount: consumers_max,
    pollingInterval: 5,
    cooldownPeriod: 60,
    triggers: [
      {
        type: 'postgresql',
        authenticationRef: { name: AUTHENTICATION },
        metadata: {
          query: BACKLOG_QUERY,
          targetQueryValue: String(LIMITS.items_in_flight_per_consumer),
          activationTargetQueryValue: '0',
        },
      },
    ],
  },
})

/** How the operator of Prometheus finds the tick: its pods, so that being asked keeps none awake. */
export function podMonitor({ namespace, secret: name }: KnativeValues) {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name: 'assay', namespace, labels: PART },
    spec: {
      selector: { matchLabels: { ...PART, [ROLE]: 'tick' } },
      podMetricsEndpoints: [
        {
          port: 'user-port', // as Knative names that of the container
          path: METRICS_PATH,
          interval: '30s',
          authorization: { type: 'Bearer', credentials: { name, key: 'ASSAY_METRICS_TOKEN' } },
        },
      ],
    },
  } as const
}
