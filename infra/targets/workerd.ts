// Generates the files for running the functions on workerd alone: the router, a worker for each unit, and workerd's own
// workers for the cron and the queue.

import { prefixOf } from '../../shared/kernel/installation-name.ts'
import { UNPRIVILEGED } from '../local/systemd.ts'
import { type Unit, unitsOf } from '../packaging.ts'
import { text } from '../runtime/workerd-config.ts'
import { asksStores, needsOf, type SecretSetting } from '../unit-settings.ts'
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from '../workerd/compatibility.ts'
import { CONSUMER, ROUTER, TICK } from './image.ts'
import { named } from './names.ts'
import type { TargetFile } from './target-file.ts'
import { CONSUMER_GRACE_S } from './times.ts'
import type { WorkerdValues } from './values.ts'

/** Ways around "public": NAT64, 6to4 and carrier-grade NAT lead to addresses that may be private. */
const NEVER_PUBLIC = ['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '100.64.0.0/10']
const WAKE_BATCH = 100 // one call covers all of them
/** The folder of each service's environment file; only the consumer's has the master key. */
const environmentOf = ({ installation }: WorkerdValues) => `/etc/${prefixOf(installation)}`

export function workerdFiles(values: WorkerdValues): TargetFile[] {
  return [
    { path: 'config.capnp', about: about(values), content: config(values) },
    {
      path: `${named(values, 'workerd')}.service`,
      about: 'For /etc/systemd/system.',
      content: workerdService(values),
    },
    {
      path: `${named(values, 'consumer')}.service`,
      about: 'For /etc/systemd/system.',
      content: consumerService(values),
    },
  ]
}

const about = (
  values: WorkerdValues,
) => `workerd serve --experimental -d state=/var/lib/${named(values, 'workerd')} config.capnp, with the bundles beside it.
Secrets are read from the environment, by the names that infra/unit-settings.ts says; infra/workerd.md makes them. --experimental is for workerd's own cron and queue.`

const service = (about: string, { user, checkout }: WorkerdValues, start: string, more: string) => `[Unit]
Description=${about}
Wants=network-online.target
After=network-online.target

[Service]
User=${user}
WorkingDirectory=${checkout}
${more}${UNPRIVILEGED}ExecStart=${start}
Restart=always
RestartSec=2
RestartPreventExitStatus=78

[Install]
WantedBy=multi-user.target
`

const workerdService = (values: WorkerdValues) =>
  service(
    'Assay in workerd',
    values,
    `${values.checkout}/node_modules/.bin/workerd serve --experimental -d state=/var/lib/${named(values, 'workerd')} ${values.checkout}/dist/workerd/config.capnp`,
    `EnvironmentFile=${environmentOf(values)}/workerd.env
StateDirectory=${named(values, 'workerd')}
`, // creates /var/lib/assay-workerd, which workerd itself does not do
  )

/** The Node service for what workerd cannot do: starting processes for agents' bundles, and sending mail. */
const consumerService = (values: WorkerdValues) =>
  service(
    "Assay's consumer",
    values,
    `${values.checkout}/node_modules/.bin/node ${values.checkout}/infra/node/main.ts`,
    `EnvironmentFile=${environmentOf(values)}/consumer.env
Environment=ASSAY_PARTS=consumer,tick ASSAY_DATA_DIR=/var/lib/${named(values, 'consumer')}${values.installation ? ` ASSAY_INSTALLATION=${values.installation}` : ''}
StateDirectory=${named(values, 'consumer')}
TimeoutStopSec=${CONSUMER_GRACE_S}
`,
  )

function config(values: WorkerdValues): string {
  const units = unitsOf(values.packaging)
  const callers = units.filter(unit => unit.platform === undefined)
  const trusted = values.store_ca ? `[embed ${text(values.store_ca)}]` : '[]'
  const outside = ['public', ...values.callback_networks]
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "internet", network = (allow = [])),
    (name = "backplane", network = (
      allow = ${list(values.store_networks)},
      tlsOptions = (trustBrowserCas = true, trustedCertificates = ${trusted}))),
    (name = "outside", network = (
      allow = ${list(outside)}, deny = ${list(NEVER_PUBLIC)},
      tlsOptions = (trustBrowserCas = true))),
    (name = "state", disk = (writable = true)), # of the cron and the queue; nothing is lost with it that the tick misses
${[ROUTER, ...units.map(unit => unit.name), 'cron', 'queues'].map(name => `    (name = ${text(name)}, worker = .${constant(name)}),`).join('\n')}
  ],
  sockets = [
    (name = "metrics", address = ${text(values.listen_metrics)}, http = (), service = ${text(TICK)}), # GET /metrics
    (name = "http", address = ${text(values.listen)}, http = (), service = ${text(ROUTER)}),
  ],
);

const ${constant(ROUTER)} :Workerd.Worker = (
  modules = [(name = "router", esModule = embed "router.mjs")],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  bindings = [
${callers.map(({ name }) => `    (name = ${text(name)}, service = ${text(name)}),`).join('\n')}
  ],
);
${units.map(unit => unitWorker(unit, values)).join('')}
const cron :Workerd.Worker = (
  modules = [(name = "cron", bundled = "/workerd/cron.js")],
  ${OF_WORKERD}
  durableObjectNamespaces = [(className = "Schedule", uniqueKey = "assay-cron", enableSql = true)],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "SCHEDULE", durableObjectNamespace = "Schedule"),
    (name = "CRONS", json = ${text(JSON.stringify({ [TICK]: ['* * * * *'] }))}),
    (name = ${text(TICK)}, service = ${text(TICK)}),
  ],
);

const queues :Workerd.Worker = (
  modules = [(name = "queues", bundled = "/workerd/queues.js")],
  ${OF_WORKERD}
  durableObjectNamespaces = [(className = "QueueShard", uniqueKey = "assay-queues", enableSql = true)],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "SHARD", durableObjectNamespace = "QueueShard"),
    (name = "CONSUMERS", json = ${text(JSON.stringify({ wake: { consumer: CONSUMER, maxBatchSize: WAKE_BATCH, maxBatchTimeout: 0, maxConcurrency: 1 } }))}),
    (name = ${text(CONSUMER)}, service = ${text(CONSUMER)}),
  ],
);
`
}

const OF_WORKERD = `compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = ["service_binding_extra_handlers", "experimental"],`

/** Converts a name to a Cap'n Proto constant: a letter, then letters and digits. */
const constant = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const list = (values: readonly string[]) => `[${values.map(text).join(', ')}]`

const fromEnvironment = ({ setting, secret }: SecretSetting) =>
  `    (name = ${text(setting)}, fromEnvironment = ${text(secret)}),`
const asText = ([name, value]: [string, string]) => `    (name = ${text(name)}, text = ${text(value)}),`

const HOST_BINDING = '    (name = "HOST", durableObjectNamespace = "Host"),'
/** Outbound bindings of units that work on the stores; other units have none. */
const OF_WORK = [
  '    (name = "OUTSIDE", service = "outside"),',
  `    (name = "WAKE", queue = (name = "queues", props = (json = ${text(JSON.stringify({ queue: 'wake' }))}))),`,
]

/** Settings not used here: workerd verifies certificates itself, and has no exporter of traces. */
const NOT_READ = ['DATABASE_CA', 'REDIS_CA', 'ASSAY_SMTP_URL', 'OTEL_EXPORTER_OTLP_HEADERS']
/** The unit's secrets. The consumer unit here only calls the Node consumer, with the bearer that such calls need. */
const secretsOf = (unit: Unit) => needsOf(unit).secrets.filter(({ setting }) => !NOT_READ.includes(setting))

function settingsOf(unit: Unit, values: WorkerdValues): [string, string][] {
  const known: Record<string, string | undefined> = {
    ASSAY_INSTALLATION: values.installation,
    BASE_URL: values.base_url,
    ASSAY_TRUSTED_PROXIES: values.trusted_proxies.join(','),
    ASSAY_LOG_LEVEL: values.log_level,
    ASSAY_ALLOW_CALLBACK_NETWORKS: values.callback_networks.join(','),
    // Other units notify it through the queue.
    ASSAY_CONSUMER_URL: unit.name === CONSUMER ? values.consumer_url : undefined,
  }
  return needsOf(unit).settings.flatMap(name => (known[name] ? [[name, known[name]]] : []))
}

const unitWorker = (unit: Unit, values: WorkerdValues) => {
  const { name } = unit
  const settings = [...secretsOf(unit).map(fromEnvironment), ...settingsOf(unit, values).map(asText)]
  const bindings = [HOST_BINDING, ...(asksStores(unit) ? OF_WORK : []), ...settings]
  return `
const ${constant(name)} :Workerd.Worker = (
  modules = [(name = ${text(name)}, esModule = embed ${text(`${name}.mjs`)})],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = [${COMPATIBILITY_FLAGS.map(text).join(', ')}],
  globalOutbound = ${text(asksStores(unit) ? 'backplane' : 'internet')},
  durableObjectNamespaces = [(className = "Host", uniqueKey = ${text(`assay-${name}`)}, preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
${bindings.join('\n')}
  ],
);
`
}
