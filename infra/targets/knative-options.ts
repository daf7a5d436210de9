// Generates optional objects of an installation on Knative: a consumer that KEDA scales by the backlog, and the
// PodMonitor by which the Prometheus operator finds the metrics.

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
/** A role of its own, since it runs bundles: policies give it the runtime's network. */
export const STANDING_ROLE = 'standing-consumer'
const LABELS = { ...PART, [ROLE]: STANDING_ROLE, 'app.kubernetes.io/name': NAME }

export const kedaObjects = (values: KnativeValues): [IDeployment, ITriggerAuthentication, IScaledObject] => [
  standingConsumer(values),
  databaseAuthentication(values),
  scaleByBacklog(values),
]

/** A Deployment of a consumer that stays up and polls for work; KEDA cannot scale what Knative scales. */
function standingConsumer(values: KnativeValues): IDeployment {
  const workload = workloadsOf(values.packaging).find(one => one.name === CONSUMER)!
  const all = settingsOf(workload, values, addressesOf(values))
  // It is a server with one part, which works as long as it is up and runs bundles itself.
  const { FUNCTION, ASSAY_RUNTIME_URL, ASSAY_CONSUMER_URL, ASSAY_CONSUME_SECONDS, ...settings } = all
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

/** Counts the items of open runs without a verdict that are not held; reads only the table of runs. */
export const BACKLOG_QUERY =
  'select coalesce(sum(total_items - ok - degraded - failed - budget_exceeded - cancelled - paused), 0) ' +
  'from runs where finished_at is null and stop_reason is null'

const AUTHENTICATION = 'assay-database'

/** KEDA's connection to PostgreSQL, without a pooler, because KEDA's driver prepares its statement. */
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

/** Lets the Prometheus operator scrape the tick's pods directly, so that scraping keeps no Service awake. */
export function podMonitor({ namespace, secret: name }: KnativeValues) {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name: 'assay', namespace, labels: PART },
    spec: {
      selector: { matchLabels: { ...PART, [ROLE]: 'tick' } },
      podMetricsEndpoints: [
        {
          port: 'user-port', // Knative's name for the container's port
          path: METRICS_PATH,
          interval: '30s',
          authorization: { type: 'Bearer', credentials: { name, key: 'ASSAY_METRICS_TOKEN' } },
        },
      ],
    },
  } as const
}
