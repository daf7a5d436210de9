// What a stack.yml may say, from faas-cli's own struct (go-sdk, stack/schema.go), which ignores unknown fields; of
// annotations, labels and the watchdog's settings, those we use.

import { z } from 'zod'
import { workloadsOf } from '../../infra/targets/image.ts'

const text = z.string().min(1)
const seconds = z.string().regex(/^[1-9]\d*s$/)
const room = z.strictObject({ cpu: z.string().regex(/^\d+m?$/), memory: z.string().regex(/^\d+Mi$/) })
const mounted = z.string().regex(/^\/var\/openfaas\/secrets\/[a-z0-9-]+$/)
const whole = z.string().regex(/^\d+$/)

const settings = workloadsOf('group').flatMap(({ needs }) => needs.secrets.map(one => one.setting))
const Mounts = Object.fromEntries(settings.map(name => [`${name}_FILE`, mounted.optional()])) as Record<
  string,
  z.ZodOptional<typeof mounted>
>

export const Environment = z.strictObject({
  FUNCTION: text,
  ASSAY_INSTALLATION: text.optional(),
  BASE_URL: z.url().optional(),
  ASSAY_CONSUMER_URL: z.url().optional(),
  ASSAY_RUNTIME_URL: z.url().optional(),
  ASSAY_CONSUME_SECONDS: whole.optional(),
  ASSAY_UNIT_URL: z
    .string()
    .regex(/\{unit\}/)
    .optional(),
  ASSAY_TRUSTED_PROXIES: text.optional(),
  ASSAY_TICK_OPEN: z.enum(['true', 'false']).optional(),
  ASSAY_CONSUMERS_MAX: whole.optional(),
  ASSAY_ALLOW_NETWORKS: text.optional(),
  ASSAY_ALLOW_CALLBACK_NETWORKS: text.optional(),
  ASSAY_LOG_LEVEL: z.enum(['info', 'warn', 'error']).optional(),
  ASSAY_MAIL_FROM: text.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  ...Mounts,
  PORT: whole,
  port: whole.optional(), // the watchdog's own
  mode: z.literal('http'),
  fprocess: text,
  upstream_url: z.url(),
  read_timeout: seconds,
  write_timeout: seconds,
  exec_timeout: seconds,
  healthcheck_interval: seconds,
  prefix_logs: z.enum(['true', 'false']),
  ready_path: z.literal('/healthz'),
  max_inflight: whole.optional(),
})

const Labels = z.strictObject({
  'com.openfaas.scale.min': whole,
  'com.openfaas.scale.max': whole,
  'com.openfaas.scale.type': z.enum(['rps', 'capacity', 'cpu']),
  'com.openfaas.scale.target': whole,
  'com.openfaas.scale.zero': z.enum(['true', 'false']),
  'com.openfaas.scale.zero-duration': z.string().regex(/^\d+m$/),
})

export const StackFunction = z.strictObject({
  lang: text.optional(),
  handler: text.optional(),
  image: text,
  fprocess: text.optional(),
  environment: Environment,
  environment_file: z.array(text).optional(),
  secrets: z.array(z.string().regex(/^[a-z][a-z0-9-]*$/)).optional(),
  skip_build: z.boolean().optional(),
  constraints: z.array(text).optional(),
  labels: Labels,
  annotations: z.strictObject({
    'com.openfaas.ready.http.path': z.literal('/_/ready'),
    topic: z.literal('cron-function').optional(),
    schedule: z.literal('* * * * *').optional(),
  }),
  limits: room,
  requests: room,
  readonly_root_filesystem: z.boolean().optional(),
  build_options: z.array(text).optional(),
  build_args: z.record(text, text).optional(),
  build_secrets: z.record(text, text).optional(),
  platforms: text.optional(),
  namespace: text.optional(),
})

export const Stack = z.strictObject({
  version: z.literal('1.0'),
  provider: z.strictObject({ name: z.literal('openfaas'), gateway: z.url() }),
  functions: z.record(z.string().regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/), StackFunction),
  configuration: z.strictObject({ templates: z.array(z.unknown()), copy: z.array(text) }).optional(),
})

export const FunctionIngress = z.strictObject({
  apiVersion: z.literal('openfaas.com/v1'),
  kind: z.literal('FunctionIngress'),
  metadata: z.strictObject({ name: text, namespace: z.literal('openfaas') }),
  spec: z.strictObject({
    domain: text,
    function: text,
    path: text.optional(),
    ingressType: z.enum(['nginx', 'traefik']).optional(),
    functionNamespace: text.optional(),
    bypassGateway: z.boolean().optional(),
    tls: z
      .strictObject({
        enabled: z.boolean(),
        issuerRef: z.strictObject({ name: text, kind: z.enum(['Issuer', 'ClusterIssuer']) }),
      })
      .optional(),
  }),
})
