// Starts a Node process of Assay from its environment alone, as a container or a service manager does:
// DATABASE_URL, REDIS_URL, ASSAY_MASTER_KEY, and optionally DATABASE_CA, REDIS_CA, PORT, HOST, BASE_URL, ASSAY_DATA_DIR, ASSAY_PARTS
// (of api,consumer,tick), ASSAY_ALLOW_NETWORKS (CIDRs agents may reach although they are private), ASSAY_SMTP_URL and
// ASSAY_MAIL_FROM (how alerts are mailed), ASSAY_ALLOW_CALLBACK_NETWORKS (CIDRs callbacks and alerts may be sent to
// although they are private), ASSAY_TRUSTED_PROXIES (CIDRs of proxies that are believed where a request came from),
// ASSAY_METRICS_TOKEN (the bearer that reads GET /metrics), ASSAY_OPERATOR_KEY (opens accounts), ASSAY_RUNTIME_URL (where infra/node/runtime.ts runs
// bundles, when it is not this process that does), ASSAY_LOG_LEVEL (the least that is logged: info, warn or error),
// ASSAY_PRICES_URL (where the list of models' prices is fetched from, once a day), and
// OpenTelemetry's own variables (where traces and measurements are sent: see telemetry.ts).

import { Refusal } from '../local/refusal.ts'
import { remoteRuntime } from './agents.ts'
import { logLevelOf } from './context.ts'
import { armFaults } from './faults.ts'
import { mailFrom } from './mail.ts'
import { PARTS, type Part, startServer } from './server.ts'
import { operatorKeyFrom, readSettings, storesFrom } from './settings.ts'
import { endOnSignal } from './stop.ts'
import { adviceOf } from './store-trouble.ts'
import { openTelemetry } from './telemetry.ts'

const settings = readSettings(process.env)
function needed<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

/** What keeps it from starting is told without a stack where a person can mend it. */
function refuse(error: unknown): never {
  const advice = adviceOf(error, 'DATABASE')
  console.error(advice ?? (error instanceof Refusal ? `${error.code}: ${error.message}` : error))
  process.exit(1)
}

armFaults(process.env.ASSAY_FAULTS)
const parts = settings.list('ASSAY_PARTS') ?? [...PARTS]
const unknown = parts.filter(part => !PARTS.includes(part as Part))
if (unknown.length > 0) {
  console.error(`ASSAY_PARTS: ${unknown.join(', ')} is not one of ${PARTS.join(', ')}`)
  process.exit(2)
}
const allow = settings.list('ASSAY_ALLOW_NETWORKS')
const allowCallbacks = settings.list('ASSAY_ALLOW_CALLBACK_NETWORKS')
const baseUrl = settings.origin('BASE_URL')
const server = await startServer({
  port: Number(settings.get('PORT') ?? 8090),
  host: settings.get('HOST') ?? '0.0.0.0',
  ...needed(() => storesFrom(settings)),
  masterKey: needed(() => settings.need('ASSAY_MASTER_KEY')),
  dataDir: settings.get('ASSAY_DATA_DIR') ?? '.assay',
  parts: parts as Part[],
  mail: mailFrom(settings),
  metricsToken: settings.get('ASSAY_METRICS_TOKEN'),
  operatorKey: needed(() => operatorKeyFrom(settings)),
  runtime: remoteRuntime(settings),
  logLevel: logLevelOf(settings.get('ASSAY_LOG_LEVEL')),
  telemetry: await openTelemetry(settings),
  pricesUrl: settings.get('ASSAY_PRICES_URL'),
  trustedProxies: settings.list('ASSAY_TRUSTED_PROXIES'),
  ...(baseUrl ? { baseUrl } : {}),
  ...(allow ? { allowPrivateNetworks: allow } : {}),
  ...(allowCallbacks ? { allowCallbackNetworks: allowCallbacks } : {}),
}).catch(refuse)
console.log(`ready ${server.url || parts.join(',')}`)
endOnSignal(server)
