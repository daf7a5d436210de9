// Generates optional objects of an installation on Knative: a consumer that KEDA scales by the backlog, and the
// PodMonitor by which the Prometheus operator finds the metrics.

import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import type { ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { prefixOf } from '../../shared/kernel/installation-name.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { settingsOf } from './environment.ts'
import { CONSUMER, LARGE, METRICS_PATH, SERVER_COMMAND, workloadsOf } from './image.ts'
import { addressesOf, placeOf, secretOf } from './knative-objects.ts'
import { named, namedWithin } from './names.ts'
import { CONFINED, partOf, ROLE, SCRATCH, SCRATCH_MOUNT } from './pods.ts'
import { secretVariables } from './run-once.ts'
import { CONSUMER_GRACE_S } from './times.ts'
import type { KnativeValues } from './values.ts'

const NAME = 'consumer'
/** A role of its own, since it runs bundles: policies give it the runtime's network. */
export const STANDING_ROLE = 'standing-consumer'
const nameOf = (values: KnativeValues) => namedWithin(values, NAME)
const labelsOf = (values: KnativeValues) => ({
  ...partOf(values),
  [ROLE]: STANDING_ROLE,
  'app.kubernetes.io/name': nameOf(values),
})

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
  const labels = labelsOf(values)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: nameOf(values), namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
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

const authentication = (values: KnativeValues) => named(values, 'database')

/** KEDA's connection to PostgreSQL, without a pooler, because KEDA's driver prepares its statement. */
function databaseAuthentication(values: KnativeValues): ITriggerAuthentication {
  const name = secretOf(values)
  const key = values.secrets.includes('DATABASE_MIGRATE_URL') ? 'DATABASE_MIGRATE_URL' : 'DATABASE_URL'
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'TriggerAuthentication',
    metadata: { name: authentication(values), namespace: values.namespace, labels: partOf(values) },
    spec: { secretTargetRef: [{ parameter: 'connection', name, key }] },
  }
}

const scaleByBacklog = (values: KnativeValues): IScaledObject => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name: nameOf(values), namespace: values.namespace, labels: partOf(values) },
  spec: {
    scaleTargetRef: { name: nameOf(values) },
    minReplicaCount: 0,
    maxReplicaCount: values.consumers_max,
    pollingInterval: 5,
    cooldownPeriod: 60,
    triggers: [
      {
        type: 'postgresql',
        authenticationRef: { name: authentication(values) },
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
export function podMonitor(values: KnativeValues) {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name: prefixOf(values.installation), namespace: values.namespace, labels: partOf(values) },
    spec: {
      selector: { matchLabels: { ...partOf(values), [ROLE]: 'tick' } },
      podMetricsEndpoints: [
        {
          port: 'user-port', // Knative's name for the container's port
          path: METRICS_PATH,
          interval: '30s',
          authorization: {
            type: 'Bearer',
            credentials: { name: secretOf(values), key: 'ASSAY_METRICS_TOKEN' },
          },
        },
      ],
    },
  } as const
}
