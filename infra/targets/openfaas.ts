// The functions as OpenFaaS runs them: one for each unit, and the router, by which callers come in.

import { LIMITS } from '../../shared/domain/limits.ts'
import {
  COMMAND,
  CONSUMER,
  IMAGE,
  METRICS_PATH,
  METRICS_TOKEN,
  PLATFORM_CALL_S,
  ROUTER,
  RUNTIME,
  roomOf,
  SECRETS,
  TICK,
  TRUSTED_PROXIES,
  WORKLOADS,
  type Workload,
} from './image.ts'
import { openfaasRuntimePolicy } from './network-policies.ts'
import { yamlFile } from './yaml.ts'

/** What a stack.yml may say of a function; faas-cli passes over what it does not know. */
interface StackFunction {
  skip_build: true
  image: string
  environment: Record<string, string>
  secrets?: string[]
  labels: Record<string, string>
  annotations?: Record<string, string>
  requests: Record<string, string>
  limits: Record<string, string>
  readonly_root_filesystem: true
}

// One namespace holds everybody's functions, so ours bear our name.
const nameOf = (unit: string) => `assay-${unit}`
/** Where functions find each other. */
const GATEWAY = 'http://gateway.openfaas:8080'

// The watchdog before the process has 8080 and 8081.
const UPSTREAM_PORT = '3000'
const WRITE_S = PLATFORM_CALL_S + 5
// All that may be awake share one replica where there is but one, and each calls its successor while it is still there.
const CALLS_PER_REPLICA = 2 * LIMITS.consumers.default

export function openfaasFiles(): [path: string, text: string][] {
  const functions = Object.fromEntries(WORKLOADS.map(one => [nameOf(one.name), functionOf(one)]))
  const provider = { name: 'openfaas', gateway: fromShell('OPENFAAS_URL', 'http://127.0.0.1:8080') }
  return [
    ['stack.yml', yamlFile(ABOUT_STACK, [{ version: '1.0', provider, functions }])],
    ['function-ingress.yaml', yamlFile(ABOUT_INGRESS, [INGRESS])],
    ['network-policy.yaml', yamlFile(ABOUT_POLICY, [openfaasRuntimePolicy(nameOf(RUNTIME))])],
    ['prometheus.yml', yamlFile(ABOUT_METRICS, [{ scrape_configs: [SCRAPE] }])],
  ]
}

function functionOf(workload: Workload): StackFunction {
  const { name, role } = workload
  return {
    skip_build: true,
    image: fromShell('ASSAY_IMAGE', `registry.example.com/${IMAGE}:0.1.0`),
    environment: {
      FUNCTION: name,
      ...settingsOf(workload),
      // What the watchdog is told.
      mode: 'http',
      fprocess: COMMAND.join(' '),
      upstream_url: `http://127.0.0.1:${UPSTREAM_PORT}`,
      PORT: UPSTREAM_PORT,
      read_timeout: `${WRITE_S}s`,
      write_timeout: `${WRITE_S}s`,
      exec_timeout: `${PLATFORM_CALL_S}s`,
      healthcheck_interval: '5s', // it goes on for so long after it was asked to stop
      prefix_logs: 'false',
      ...(role === 'consumer' ? { max_inflight: String(CALLS_PER_REPLICA) } : {}),
    },
    ...(role === 'router' ? {} : { secrets: secretsOf(workload).map(secretName) }),
    labels: scaleOf(workload),
    ...(role === 'tick' ? { annotations: { topic: 'cron-function', schedule: '* * * * *' } } : {}),
    ...roomOf(workload),
    readonly_root_filesystem: true, // OpenFaaS leaves /tmp writable
  }
}

const secretsOf = ({ role }: Workload) => (role === 'tick' ? [...SECRETS, METRICS_TOKEN] : SECRETS)

function settingsOf({ role }: Workload): Record<string, string> {
  if (role === 'router') return { ASSAY_UNIT_URL: `${GATEWAY}/function/${nameOf('{unit}')}` }
  if (role === 'runtime') return {}
  return {
    ...(role === 'consumer'
      ? {
          ASSAY_RUNTIME_URL: `${GATEWAY}/function/${nameOf(RUNTIME)}`,
          ASSAY_CONSUME_SECONDS: String(LIMITS.consume_ms / 1000),
        }
      : {}),
    ...(role === 'tick' ? { ASSAY_TICK_OPEN: 'true' } : {}), // cron-connector sends a bare POST
    BASE_URL: fromShell('ASSAY_BASE_URL', 'https://assay.example.com'),
    ASSAY_CONSUMER_URL: `${GATEWAY}/function/${nameOf(CONSUMER)}`,
    ASSAY_TRUSTED_PROXIES: fromShell('ASSAY_TRUSTED_PROXIES', TRUSTED_PROXIES),
  }
}

/** What faas-cli reads from the environment of whoever deploys. */
const fromShell = (name: string, otherwise: string) => `\${${name}:-${otherwise}}`

/** As `readSettings` looks for them. */
const secretName = (setting: string) => setting.toLowerCase().replaceAll('_', '-')

function scaleOf({ role }: Workload): Record<string, string> {
  const target = { consumer: '1', runtime: '8', router: '50', api: '50', tick: '50' }[role]
  return {
    'com.openfaas.scale.min': '1',
    'com.openfaas.scale.max': role === 'tick' ? '1' : '4',
    'com.openfaas.scale.type': 'capacity',
    'com.openfaas.scale.target': target,
    'com.openfaas.scale.zero': 'true',
    'com.openfaas.scale.zero-duration': '5m',
  }
}

const INGRESS = {
  apiVersion: 'openfaas.com/v1',
  kind: 'FunctionIngress',
  metadata: { name: 'assay', namespace: 'openfaas' },
  spec: {
    domain: 'assay.example.com',
    function: nameOf(ROUTER),
    functionNamespace: 'openfaas-fn',
    ingressType: 'nginx',
    path: '/(.*)', // all of the path reaches the router
    tls: { enabled: true, issuerRef: { name: 'letsencrypt', kind: 'ClusterIssuer' } },
  },
}

const ABOUT_STACK = `Apply with: faas-cli deploy -f stack.yml
Names come from the environment: ASSAY_IMAGE, ASSAY_BASE_URL (where callers reach the router), OPENFAAS_URL.
Secrets: ${[...SECRETS, METRICS_TOKEN].map(secretName).join(', ')}.
Labels com.openfaas.scale.* need a paid edition: on CE no function ever sleeps.
The gateway must allow ${WRITE_S} s: its upstreamTimeout, readTimeout and writeTimeout.`

const SCRAPE = {
  job_name: 'assay',
  scrape_interval: '30s',
  metrics_path: `/function/${nameOf(TICK)}${METRICS_PATH}`,
  authorization: { type: 'Bearer', credentials_file: '/etc/prometheus/secrets/assay-metrics-token' },
  static_configs: [{ targets: [new URL(GATEWAY).host] }],
}

const ABOUT_METRICS = `An example for Prometheus: the tick answers for the whole installation, by the gateway of OpenFaaS.
The file of credentials holds what the secret ${secretName(METRICS_TOKEN)} holds.`

const ABOUT_POLICY = `What runs code of agents is called by the gateway alone, and reaches public addresses, and PostgreSQL at its usual port;
name here what else of yours agents may. Apply with: kubectl apply -f network-policy.yaml`

const ABOUT_INGRESS = `Optional: callers' host name led to the router. Needs the ingress operator, which comes with paid editions.
Without it lead a path or host of your ingress to ${GATEWAY}/function/${nameOf(ROUTER)}.`
