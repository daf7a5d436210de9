// The functions as workerd runs them by itself: the router, a worker for each unit, and the two of workerd's own that
// call by the clock and keep the queue.

import { text } from '../runtime/workerd-config.ts'
import { CONSUMER, METRICS_TOKEN, OPERATOR_KEY, PORT, ROUTER, TICK, UNITS } from './image.ts'

/** Flags that are the default by this date must not be listed: workerd refuses to start on them. */
export const COMPATIBILITY_DATE = '2026-07-01'
const COMPATIBILITY_FLAGS = ['nodejs_compat'] // the clients of PostgreSQL and Redis open sockets by node:net

/** Ways around "public": NAT64, 6to4 and carrier-grade NAT lead to addresses that may be private. */
const NEVER_PUBLIC = ['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '100.64.0.0/10']
const SETTINGS = [
  'DATABASE_URL',
  'REDIS_URL',
  'ASSAY_MASTER_KEY',
  'BASE_URL',
  'ASSAY_TRUSTED_PROXIES',
  'ASSAY_ALLOW_CALLBACK_NETWORKS',
  'ASSAY_LOG_LEVEL',
] as const
const METRICS_PORT = 9090
const WAKE_BATCH = 100 // one call stands for all of them

export function workerdFiles(): [path: string, text: string][] {
  return [
    ['config.capnp', config()],
    ['settings.capnp', SETTINGS_FILE],
  ]
}

const SETTINGS_FILE = `@0xd3a1c7b4e92f5086;
# What config.capnp is told of your networks. Edit the copy that stands beside your bundles.

# Where PostgreSQL, Redis and the consumer are. Functions reach nothing else, and callers' URLs never lead here.
const backplane :List(Text) = ["127.0.0.1/32", "::1/128"];

# Who may sign the certificates of PostgreSQL, Redis and the consumer, besides those that browsers trust:
#   [embed "ca.pem"]
const trusted :List(Text) = [];

# Where callbacks and alerts may go. Name private networks here and in ASSAY_ALLOW_CALLBACK_NETWORKS.
const outside :List(Text) = ["public"];
`

function config(): string {
  const callers = UNITS.filter(unit => unit.platform === undefined)
  return `# Made by npm run generate.
#
#   node infra/workerd/bundle.ts --out dist/workerd        # the bundles, with a copy of this file and settings.capnp
#   workerd serve --experimental -d state=/var/lib/assay-workerd dist/workerd/config.capnp
#
# Settings are read from the environment:
#   ${SETTINGS.join(', ')},
#   ASSAY_CONSUMER_URL, ASSAY_METRICS_TOKEN, ASSAY_OPERATOR_KEY
# infra/README.md tells what each is for. --experimental is for workerd's own cron and queue.
using Workerd = import "/workerd/workerd.capnp";
using Settings = import "settings.capnp";

const config :Workerd.Config = (
  services = [
    (name = "internet", network = (allow = [])),
    (name = "backplane", network = (
      allow = Settings.backplane,
      tlsOptions = (trustBrowserCas = true, trustedCertificates = Settings.trusted))),
    (name = "outside", network = (
      allow = Settings.outside, deny = [${NEVER_PUBLIC.map(text).join(', ')}],
      tlsOptions = (trustBrowserCas = true))),
    (name = "state", disk = (writable = true)), # of the cron and the queue; nothing is lost with it that the tick misses
${['router', ...UNITS.map(unit => unit.name), 'cron', 'queues'].map(name => `    (name = ${text(name)}, worker = .${constant(name)}),`).join('\n')}
  ],
  sockets = [
    (name = "metrics", address = "127.0.0.1:${METRICS_PORT}", http = (), service = ${text(TICK)}), # GET /metrics
    (name = "http", address = "*:${PORT}", http = (), service = ${text(ROUTER)}),
  ],
);

const ${constant(ROUTER)} :Workerd.Worker = (
  modules = [(name = "router", esModule = embed "router.mjs")],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  bindings = [
${callers.map(({ name }) => `    (name = ${text(name)}, service = ${text(name)}),`).join('\n')}
  ],
);
${UNITS.map(unit => unitWorker(unit.name)).join('')}
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

/** The name of a constant: a letter, then letters and digits. */
const constant = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const fromEnvironment = (name: string) => `    (name = ${text(name)}, fromEnvironment = ${text(name)}),`

const OWN: Record<string, string[]> = {
  [CONSUMER]: ['ASSAY_CONSUMER_URL'],
  [TICK]: [METRICS_TOKEN],
  account: [OPERATOR_KEY],
}
const settingsOf = (name: string) => [...SETTINGS, ...(OWN[name] ?? [])]

const unitWorker = (name: string) => `
const ${constant(name)} :Workerd.Worker = (
  modules = [(name = ${text(name)}, esModule = embed ${text(`${name}.mjs`)})],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = [${COMPATIBILITY_FLAGS.map(text).join(', ')}],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = ${text(`assay-${name}`)}, preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = ${text(JSON.stringify({ queue: 'wake' }))}))),
${settingsOf(name).map(fromEnvironment).join('\n')}
  ],
);
`
