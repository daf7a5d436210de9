// Generates the files for OpenFaaS: a function for each unit, the router through which callers come in, and the Jobs
// that run once.

import { prefixOf } from '../../shared/kernel/installation-name.ts'
import { unitsOf } from '../packaging.ts'
import { secretsOf, settingsOf } from './environment.ts'
import {
  COMMAND,
  CONSUMER,
  HEALTH_PATH,
  METRICS_PATH,
  ROUTER,
  RUNTIME,
  roomOf,
  TICK,
  type Workload,
  workloadsOf,
} from './image.ts'
import { classIngress, functionIngress } from './ingress-objects.ts'
import { named } from './names.ts'
import { openfaasPolicies } from './network-policies.ts'
import { nginxName, nginxObjects } from './nginx.ts'
import { poolerObjects } from './pooler.ts'
import { nginxFile } from './routes.ts'
import { firstAccountJob, migrationJob } from './run-once.ts'
import type { TargetFile } from './target-file.ts'
import { timesOf, watchdogTimes } from './times.ts'
import type { OpenfaasValues } from './values.ts'

/** The fields of a function in stack.yml; faas-cli ignores fields that it does not know. */
interface StackFunction {
  skip_build: true
  image: string
  environment: Record<string, string>
  secrets?: string[]
  labels: Record<string, string>
  annotations: Record<string, string>
  requests: Record<string, string>
  limits: Record<string, string>
  readonly_root_filesystem: true
}

/** The folder of a function's secrets in its container. */
export const SECRETS_FOLDER = '/var/openfaas/secrets'

// The watchdog in front of the process uses 8080 and 8081.
const UPSTREAM_PORT = '3000'

export function openfaasFiles(values: OpenfaasValues): TargetFile[] {
  const workloads = workloadsOf(values.packaging)
  const functions = Object.fromEntries(
    workloads.map(one => [named(values, one.name), functionOf(one, values)]),
  )
  const stack = { version: '1.0', provider: { name: 'openfaas', gateway: values.gateway }, functions }
  return [
    { path: 'stack.yml', about: aboutStack(values), content: [stack] },
    {
      path: 'network-policies.yaml',
      about: 'Who calls the functions, and what code of agents reaches. Apply it before the functions.',
      content: openfaasPolicies(
        workloads.map(one => named(values, one.name)),
        values.packaging === 'endpoint' ? undefined : named(values, ROUTER),
        named(values, RUNTIME),
        values,
      ),
    },
    ...(values.packaging === 'endpoint' ? endpointFiles(values) : []),
    ...(values.packaging === 'endpoint' || values.ingress.class === 'none' ? [] : [ingressFile(values)]),
    ...(values.pooler ? [poolerFile(values)] : []),
    {
      path: 'jobs/migrate.yaml',
      about: 'Brings the database to the schema of this image; safe to repeat.',
      content: [migrationJob(jobOf(values))],
    },
    {
      path: 'jobs/first-account.yaml',
      about:
        'Makes the first account and logs its credentials once; again, it gives the same account new ones.',
      content: [firstAccountJob(jobOf(values))],
    },
    ...(values.secrets.includes('ASSAY_METRICS_TOKEN') ? [scrapeFile(values)] : []),
  ]
}

function functionOf(workload: Workload, values: OpenfaasValues): StackFunction {
  const { role } = workload
  const times = timesOf(values.consumer_seconds)
  const secrets = secretsOf(workload.needs, values)
  const mounted = [
    ...secrets.map(({ secret }) => secretName(values, secret)),
    ...(values.image_pull_secret ? [values.image_pull_secret] : []),
  ]
  return {
    skip_build: true,
    image: values.image,
    environment: {
      ...settingsOf(workload, values, addressesOf(values)),
      ...Object.fromEntries(
        secrets.map(({ setting, secret }) => [
          `${setting}_FILE`,
          `${SECRETS_FOLDER}/${secretName(values, secret)}`,
        ]),
      ),
      // Settings of the watchdog.
      mode: 'http',
      fprocess: COMMAND.join(' '),
      upstream_url: `http://127.0.0.1:${UPSTREAM_PORT}`,
      PORT: UPSTREAM_PORT,
      ...watchdogTimes(times.request_s[role]),
      prefix_logs: 'false',
      ready_path: HEALTH_PATH, // without it a pod gets requests before its process listens, which are answered 500
      // If there is only one replica, all awake consumers share it, and each calls its successor while it still runs.
      ...(role === 'consumer' ? { max_inflight: String(2 * values.consumers_max) } : {}),
    },
    ...(mounted.length > 0 ? { secrets: mounted } : {}),
    labels: scaleOf(workload, values),
    annotations: {
      'com.openfaas.ready.http.path': '/_/ready',
      ...(role === 'tick' ? { topic: 'cron-function', schedule: '* * * * *' } : {}),
    },
    ...roomOf(workload),
    readonly_root_filesystem: true, // OpenFaaS leaves /tmp writable
  }
}

/** The name of a secret, as `infra/openfaas.md` creates it. */
export const secretName = (values: OpenfaasValues, secret: string) =>
  (values.secret_prefix ?? named(values, '')) +
  secret
    .toLowerCase()
    .replace(/^assay_/, '')
    .replaceAll('_', '-')

function addressesOf(values: OpenfaasValues) {
  const gateway = values.gateway_in_cluster.replace(/\/$/, '')
  const at = (unit: string) => `${gateway}/function/${named(values, unit)}`
  return { unit: at('{unit}'), consumer: at(CONSUMER), runtime: at(RUNTIME) }
}

/** The labels for scaling, which only a paid edition reads. */
function scaleOf({ role }: Workload, { copies }: OpenfaasValues): Record<string, string> {
  const target = { consumer: '1', runtime: '8', router: '50', api: '50', tick: '50' }[role]
  const isWaitedFor = role === 'router' || role === 'api'
  return {
    'com.openfaas.scale.min': String(isWaitedFor ? Math.max(copies.min, 1) : 1),
    'com.openfaas.scale.max': String(role === 'tick' ? 1 : copies.max),
    'com.openfaas.scale.type': 'capacity',
    'com.openfaas.scale.target': target,
    'com.openfaas.scale.zero': String(!(isWaitedFor && copies.min > 0)),
    'com.openfaas.scale.zero-duration': '5m',
  }
}

/** A Job gets the secrets of functions: OpenFaaS keeps each as a Secret whose key is its name. */
const jobOf = (values: OpenfaasValues) => ({
  values,
  placeOf: (secret: string) => ({ name: secretName(values, secret), key: secretName(values, secret) }),
})

/**
 * The entry for callers: through the gateway where the router may scale to zero, since that starts it; else directly.
 */
const ingressFile = (values: OpenfaasValues): TargetFile =>
  values.edition === 'standard' && values.copies.min === 0
    ? {
        path: 'ingress.yaml',
        about:
          'Leads callers to the router by the gateway, which wakes it. Needs the ingress operator of OpenFaaS.',
        content: [functionIngress(named(values, ROUTER), values)],
      }
    : {
        path: 'ingress.yaml',
        about: `Leads callers to the router and to no other function.${aboutTraefik(values)}`,
        content: [classIngress(named(values, ROUTER), values)],
      }

/** A hint for Traefik, which has no annotation for this timeout. */
const aboutTraefik = ({ ingress, consumer_seconds }: OpenfaasValues) =>
  ingress.class === 'traefik'
    ? `\nTraefik ends an upload after 60 s unless respondingTimeouts.readTimeout of its entry point says ${timesOf(consumer_seconds).gateway_s}s.`
    : ''

/** The files for one function per endpoint: an Ingress cannot route by method; an nginx can, and calls the gateway. */
function endpointFiles(values: OpenfaasValues): TargetFile[] {
  const { gateway_in_cluster, consumer_seconds } = values
  const { host, port, pathname } = new URL(gateway_in_cluster)
  const conf = nginxFile(unitsOf('endpoint'), {
    server: port ? host : `${host}:80`,
    path: `${pathname.replace(/\/$/, '')}/function/${named(values, '$assay_unit')}`,
    seconds: timesOf(consumer_seconds).gateway_s,
  })
  return [
    {
      path: 'nginx.conf',
      about:
        'Leads each operation to its function: for the folder conf.d of an nginx of yours in the cluster.',
      content: conf,
    },
    ...(values.ingress.class === 'none'
      ? []
      : [
          {
            path: 'ingress.yaml',
            about: `Leads callers to an nginx, which leads each operation to its function; it keeps nothing.${aboutTraefik(values)}`,
            content: [...nginxObjects(conf, values), classIngress(nginxName(values), values)],
          },
        ]),
  ]
}

const poolerFile = (values: OpenfaasValues): TargetFile => ({
  path: 'pooler.yaml',
  about: 'PgBouncer between the functions and PostgreSQL.',
  content: poolerObjects(jobOf(values)),
})

const scrapeFile = (values: OpenfaasValues): TargetFile => ({
  path: 'prometheus.yml',
  about: `An example for Prometheus: the tick answers for the whole installation, by the gateway of OpenFaaS.
The file of credentials holds what the secret ${secretName(values, 'ASSAY_METRICS_TOKEN')} holds.`,
  content: [
    {
      scrape_configs: [
        {
          job_name: prefixOf(values.installation),
          scrape_interval: '30s',
          metrics_path: `/function/${named(values, TICK)}${METRICS_PATH}`,
          authorization: {
            type: 'Bearer',
            credentials_file: `/etc/prometheus/secrets/${secretName(values, 'ASSAY_METRICS_TOKEN')}`,
          },
          static_configs: [{ targets: [new URL(values.gateway_in_cluster).host] }],
        },
      ],
    },
  ],
})

const aboutStack = (values: OpenfaasValues) => `faas-cli deploy -f stack.yml, as infra/openfaas.md says.
Labels com.openfaas.scale.* need a paid edition: on the community edition no function ever sleeps.
The gateway must allow ${timesOf(values.consumer_seconds).gateway_s} s: its upstreamTimeout, readTimeout and writeTimeout.`
