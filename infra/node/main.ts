// Starts a Node process of Assay from its environment alone, as a container or a service manager does: DATABASE_URL,
// REDIS_URL, ASSAY_MASTER_KEY (or ASSAY_KEYS), and optionally DATABASE_CA, REDIS_CA, PORT, HOST, BASE_URL,
// ASSAY_DATA_DIR, ASSAY_PARTS (of api,consumer,tick), ASSAY_ALLOW_NETWORKS (private CIDRs that agents may reach),
// ASSAY_SMTP_URL and ASSAY_MAIL_FROM (how alerts are mailed), ASSAY_ALLOW_CALLBACK_NETWORKS (private CIDRs that
// callbacks and alerts may be sent to), ASSAY_TRUSTED_PROXIES (CIDRs of proxies whose X-Forwarded-For is believed),
// ASSAY_METRICS_TOKEN (the bearer for GET /metrics), ASSAY_OPERATOR_KEY (opens accounts), ASSAY_RUNTIME_URL (where
// infra/node/runtime.ts runs bundles, unless this process does), ASSAY_LOG_LEVEL (the lowest level that is logged:
// info, warn or error), ASSAY_PRICES_URL (the list of model prices, fetched once a day), ASSAY_DATABASE_CONNECTIONS
// (most connections to PostgreSQL), ASSAY_AGENT_ITEMS and ASSAY_AGENT_MEMORY_MIB (most items in one process of a bundle, and
// its memory), and OpenTelemetry's own variables (where traces and measurements are sent: see
// telemetry.ts).

import './threads.ts'
import { poolOf } from './connections.ts'
import { logLevelOf } from './context.ts'
import { armFaults } from './faults.ts'
import { keepHeapSmall } from './heap.ts'
import { logWithoutContext, reportReady } from './log.ts'
import { mailFrom } from './mail.ts'
import { partsFrom } from './parts.ts'
import { startServer } from './server.ts'
import { warnOfUnknown } from './setting-names.ts'
import {
  connectionsFrom,
  keysFrom,
  listeningAt,
  operatorKeyFrom,
  processBoundsFrom,
  processSettings,
  storesFrom,
} from './settings.ts'
import { endOnCrash, endOnSignal, endStart } from './stop.ts'
import { refusalOf } from './store-errors.ts'
import { openTelemetry } from './telemetry.ts'

const PORT = 8090

async function start(): Promise<void> {
  const settings = processSettings()
  const masterKey = keysFrom(settings)
  const parts = partsFrom(settings)
  const allow = settings.networks('ASSAY_ALLOW_NETWORKS')
  const allowCallbacks = settings.networks('ASSAY_ALLOW_CALLBACK_NETWORKS')
  const baseUrl = settings.baseUrl()
  const budget = connectionsFrom(settings)
  const server = await startServer({
    ...listeningAt(settings, PORT),
    ...storesFrom(settings),
    masterKey,
    dataDir: settings.get('ASSAY_DATA_DIR') ?? '.assay',
    parts,
    mail: mailFrom(settings),
    metricsToken: settings.get('ASSAY_METRICS_TOKEN'),
    operatorKey: operatorKeyFrom(settings),
    runtimeUrl: settings.get('ASSAY_RUNTIME_URL'),
    processBounds: processBoundsFrom(settings),
    logLevel: logLevelOf(settings.get('ASSAY_LOG_LEVEL')),
    telemetry: await openTelemetry(settings),
    pricesUrl: settings.get('ASSAY_PRICES_URL'),
    trustedProxies: settings.networks('ASSAY_TRUSTED_PROXIES'),
    ...(baseUrl ? { baseUrl } : {}),
    ...(budget ? { pool: poolOf(budget, { servesReads: parts.includes('api') }) } : {}),
    ...(allow ? { allowPrivateNetworks: allow } : {}),
    ...(allowCallbacks ? { allowCallbackNetworks: allowCallbacks } : {}),
  })
  reportReady({ unit: parts.join(','), url: server.url || null })
  endOnSignal(server)
}

keepHeapSmall()
endOnCrash()
armFaults(process.env.ASSAY_FAULTS)
warnOfUnknown(process.env, logWithoutContext)
await start().catch(error => endStart(refusalOf(error) ?? error))
