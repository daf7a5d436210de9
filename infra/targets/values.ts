// Defines the values of an installation, from which the files for its platform are generated. Guarantee: each value has
// a description, and a value without a sensible default is required.

import * as z from 'zod'
import { INSTALLATION_NAMES, isInstallationName } from '../../shared/kernel/installation-name.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { PACKAGINGS } from '../packaging.ts'

const { min: SHORTEST, max: LONGEST } = LIMITS.consume_seconds
/** The private networks of RFC 1918, 6598 and 4193, where clusters have ingresses, proxies and pods. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

const text = z.string().min(1)
const dnsLabel = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'not a name in a cluster')
const networks = z.array(z.union([z.cidrv4(), z.cidrv6()], 'not a network such as 10.0.0.0/8'))
const port = z.int().min(1).max(65_535)

/** Optional secrets of an installation, in addition to the stores' URLs and the key sets, which every one has. */
export const SECRETS = {
  DATABASE_MIGRATE_URL:
    'PostgreSQL itself, for migrations, where DATABASE_URL is a pooler or a role that does not own',
  DATABASE_CA: 'who signed the certificate of PostgreSQL, in PEM, where that is a CA of your own',
  REDIS_CA: 'who signed that of Redis',
  ASSAY_METRICS_TOKEN: 'the bearer of GET /metrics, which nobody reads without it',
  ASSAY_OPERATOR_KEY: 'the credential of /v1/admin, by which accounts are opened',
  ASSAY_SMTP_URL: 'the mail server, smtp://user:password@host:587; goes with mail_from',
  OTEL_EXPORTER_OTLP_HEADERS: 'what the receiver of traces asks for, as authorization=Bearer%20…',
} as const
const purposes = Object.entries(SECRETS).map(([name, purpose]) => `${name} (${purpose})`)

const common = {
  installation: z
    .string()
    .refine(isInstallationName, `not ${INSTALLATION_NAMES}`)
    .optional()
    .describe(
      'its name, where another installation shares its Redis, its namespace or its machine: all names and keys begin with it; by default none',
    ),
  base_url: z
    .url({ protocol: /^https?$/, error: 'not a URL such as https://assay.your-company.com' })
    .describe('where callers reach the installation; links, callbacks and mails carry it'),
  packaging: z
    .enum(PACKAGINGS)
    .exclude(['all'])
    .default('group')
    .describe('how functions are packed: a unit for each group of the interface, or one for each endpoint'),
  callback_networks: networks
    .default([])
    .describe('private networks that callbacks and alerts may be sent to; public addresses they always may'),
  trusted_proxies: networks
    .default(PRIVATE)
    .describe('networks of the ingress, the proxies and the router, which are believed for whom they call'),
  log_level: z.enum(['info', 'warn', 'error']).default('info').describe('the least that is logged'),
}

/** The values for platforms that run the image. */
const ofImage = (consumer_seconds: number) => ({
  ...common,
  image: z
    .string()
    .regex(/^[^\s:]+(:\d+)?\/[^\s:]+:[\w.-]+$/, 'not an image with its registry and tag')
    .describe('the image of containers, with its registry and tag, as docker push takes it'),
  image_pull_secret: dnsLabel.optional().describe('the Secret that a private registry is read with'),
  consumer_seconds: z
    .int()
    .min(SHORTEST)
    .max(LONGEST)
    .default(consumer_seconds)
    .describe(
      `how long one invocation of the consumer works, ${SHORTEST} to ${LONGEST}; all other times follow from it`,
    ),
  consumers_max: z
    .int()
    .min(LIMITS.consumers.min)
    .max(LIMITS.consumers.max)
    .default(LIMITS.consumers.default)
    .describe('consumers that are awake at once'),
  copies: z
    .strictObject({
      min: z
        .int()
        .min(0)
        .describe('copies of the router and of what callers wait for that are always up; 0 lets all sleep'),
      max: z.int().min(1).describe('the most copies of one function'),
    })
    .default({ min: 0, max: 4 })
    .describe('how many copies of a function there are'),
  agent_networks: networks
    .default([])
    .describe('private networks that agents may reach; public addresses they always may'),
  first_account: z
    .strictObject({
      email: z.email('not an e-mail address').describe('who signs in with it'),
      name: text.describe('what it is called'),
    })
    .describe('the first account, which a Job makes'),
  secrets: z
    .array(z.enum(Object.keys(SECRETS) as (keyof typeof SECRETS)[]))
    .default([])
    .describe(
      `the secrets that there are beside the stores' URLs and the sets of keys: ${purposes.join(', ')}`,
    ),
  mail_from: text.optional().describe('who mails are from; goes with the secret ASSAY_SMTP_URL'),
  telemetry: z
    .record(z.string().regex(/^OTEL_[A-Z_]+$/, 'not a variable of OpenTelemetry'), text)
    .default({})
    .describe("OpenTelemetry's own variables, as OTEL_EXPORTER_OTLP_ENDPOINT: http://collector:4318"),
  stores: z
    .strictObject({
      postgres_port: port.default(5432).describe('where PostgreSQL, or the pooler before it, is asked'),
      redis_port: port.default(6379).describe('where Redis is asked'),
    })
    .default({ postgres_port: 5432, redis_port: 6379 })
    .describe('ports of the stores, which network policies let through'),
  pooler: z
    .strictObject({
      image: text.describe(
        'an image of PgBouncer that reads DB_HOST, POOL_MODE and MAX_CLIENT_CONN, as edoburu/pgbouncer',
      ),
      connections: z.int().min(1).describe('connections to PostgreSQL that all functions share'),
    })
    .optional()
    .describe(
      'a PgBouncer to be run before PostgreSQL, which it finds by the secrets POOLER_* that infra/pooler-secrets.ts makes of DATABASE_MIGRATE_URL',
    ),
})

const OPENFAAS = z.strictObject({
  ...ofImage(LIMITS.consume_ms / 1000), // the gateway waits for 60 s by default
  edition: z
    .enum(['community', 'standard'])
    .describe('of OpenFaaS: community runs 15 functions, none of which sleeps; standard any number'),
  gateway: z.url().default('http://127.0.0.1:8080').describe('where faas-cli reaches the gateway'),
  gateway_in_cluster: z
    .url()
    .default('http://gateway.openfaas:8080')
    .describe('where functions reach the gateway'),
  namespace: dnsLabel.default('openfaas-fn').describe('the namespace of functions'),
  ingress: z
    .strictObject({
      class: dnsLabel.describe(
        'the class of your ingress, such as traefik or nginx; none where you lead callers in yourself',
      ),
      issuer: dnsLabel
        .optional()
        .describe('the ClusterIssuer of cert-manager that makes the certificate; without it there is no TLS'),
      nginx_image: text
        .default('nginxinc/nginx-unprivileged:1.29-alpine')
        .describe('for packaging: endpoint: the nginx that leads each operation to its function'),
    })
    .describe('how callers get in'),
  secret_prefix: z
    .string()
    .regex(/^([a-z][a-z0-9-]*-)?$/, 'not lower-case letters that end with a dash')
    .optional()
    .describe(
      'what the names of secrets begin with, by default assay- and the name of the installation: DATABASE_URL is assay-database-url, ASSAY_KEYS_TICK assay-keys-tick',
    ),
})

const KNATIVE = z.strictObject({
  ...ofImage(LONGEST), // Knative allows 300 s by default
  namespace: dnsLabel.describe('the namespace that all of it is in'),
  ingress: z
    .strictObject({
      by: z
        .enum(['domain-mapping', 'gateway', 'none'])
        .describe('a DomainMapping of Knative, an HTTPRoute of the Gateway API, or nothing'),
      issuer: dnsLabel
        .optional()
        .describe(
          'for domain-mapping: the ClusterIssuer of cert-manager that makes the certificate; without it there is no TLS',
        ),
      gateway: z
        .string()
        .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'not NAMESPACE/NAME')
        .default('gateways/public')
        .describe('for gateway: your Gateway, as NAMESPACE/NAME; its listener ends TLS'),
      backend: z
        .string()
        .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'not NAMESPACE/NAME')
        .default('kourier-system/kourier-internal')
        .describe(
          'for gateway: the Service by which Knative takes requests within the cluster, as NAMESPACE/NAME',
        ),
    })
    .describe('how callers get in'),
  keda: z
    .boolean()
    .default(false)
    .describe('a consumer that stays up while there is a backlog and runs bundles itself, scaled by KEDA'),
  prometheus_namespace: dnsLabel
    .optional()
    .describe("the namespace of Prometheus, which may then read metrics by its operator's PodMonitor"),
  secret: dnsLabel
    .optional()
    .describe(
      'the Secret that holds all of them, each by its name; by default assay and the name of the installation',
    ),
})

const WORKERD = z.strictObject({
  ...common,
  checkout: text
    .regex(/^\//, 'not a path from the root')
    .describe('the folder of the checkout, whose dist/workerd holds what workerd runs'),
  user: dnsLabel.default('assay').describe('the user of the machine that the services run as'),
  store_networks: networks
    .min(1)
    .describe(
      'networks of PostgreSQL, Redis and the consumer: functions reach nothing else, and callbacks never these',
    ),
  store_ca: text
    .optional()
    .describe(
      'a file in PEM beside config.capnp: who signed the certificates of the stores, besides those browsers trust',
    ),
  consumer_url: z
    .url()
    .optional()
    .describe(
      'where the unit consume answers; left out for a consumer that stays up, which listens at Redis',
    ),
  listen: text.default('127.0.0.1:8080').describe('the address that the proxy before it reaches'),
  listen_metrics: text.default('127.0.0.1:9090').describe('the address at which metrics are read'),
})

export const SCHEMAS = { openfaas: OPENFAAS, knative: KNATIVE, workerd: WORKERD } as const
export type Target = keyof typeof SCHEMAS
export const TARGETS = Object.keys(SCHEMAS) as Target[]
export type ValuesOf<T extends Target> = z.infer<(typeof SCHEMAS)[T]>
export type OpenfaasValues = ValuesOf<'openfaas'>
export type KnativeValues = ValuesOf<'knative'>
export type WorkerdValues = ValuesOf<'workerd'>
/** The values of a platform that runs the image. */
export type ImageValues = OpenfaasValues | KnativeValues
