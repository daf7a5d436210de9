// Reads the settings of `npm start` from its environment. Guarantee: every setting in infra/node/setting-names.ts is
// either followed or refused by name before anything is started; none is silently ignored.

import { logLevelOf } from '../node/context.ts'
import { mailFrom } from '../node/mail.ts'
import { partsFrom } from '../node/parts.ts'
import type { SettingName } from '../node/setting-names.ts'
import {
  installationFrom,
  migrationTarget,
  operatorKeyFrom,
  processBoundsFrom,
  type Settings,
} from '../node/settings.ts'
import { ExitError, invalid } from './exit-error.ts'

export const HOST = '127.0.0.1'
// On the user's own machine an agent may declare local services, such as a model, and callbacks may go there.
const LOOPBACK = ['127.0.0.0/8', '::1/128']

const APART = 'is for units that run apart (infra/node/function.ts), and here one process does all'

/** Settings that cannot be followed here, and what to do instead. */
export const REFUSED: Partial<Record<SettingName, string>> = {
  ASSAY_AGENT_KEY: 'is for the process that serves an agent: set it there',
  ASSAY_CONSUMER_URL: APART,
  ASSAY_CONSUMERS_MAX: APART,
  ASSAY_CONSUME_SECONDS: APART,
  ASSAY_DATABASE_CONNECTIONS: APART,
  ASSAY_KEYS: 'holds some of the keys, and one process needs all: set ASSAY_MASTER_KEY',
  ASSAY_TICK_OPEN: APART,
  ASSAY_UNIT_URL: 'is for the router, and here one process does all',
  FUNCTION: 'names a unit of the image, and here one process does all',
}

/** @throws ExitError naming the setting that cannot be followed */
export function startSettings(settings: Settings) {
  for (const [name, why] of Object.entries(REFUSED) as [SettingName, string][])
    if (settings.get(name) !== undefined)
      throw new ExitError('setting_not_for_start', `${name} ${why}. Take it out of the environment.`)
  checkHost(settings.get('HOST'))
  const parts = partsFrom(settings)
  if (!parts.includes('api'))
    throw new ExitError(
      'setting_not_for_start',
      `ASSAY_PARTS is ${parts.join()}, without api: npm start serves callers in any case. For the other parts alone, run node infra/node/main.ts.`,
    )
  return {
    port: settings.whole('PORT', { min: 0, max: 65_535 }) ?? 8090,
    dataDir: settings.get('ASSAY_DATA_DIR') ?? '.assay',
    databaseUrl: settings.get('DATABASE_URL'),
    databaseCa: settings.get('DATABASE_CA'),
    migration: migrationFrom(settings),
    redisUrl: settings.get('REDIS_URL'),
    redisCa: settings.get('REDIS_CA'),
    installation: installationFrom(settings),
    masterKey: settings.get('ASSAY_MASTER_KEY'),
    metricsToken: settings.get('ASSAY_METRICS_TOKEN'),
    operatorKey: operatorKeyFrom(settings),
    runtimeUrl: settings.get('ASSAY_RUNTIME_URL'),
    /** Options that the server takes unchanged. */
    server: {
      host: HOST,
      parts,
      ...given('baseUrl', settings.baseUrl()),
      trustedProxies: settings.networks('ASSAY_TRUSTED_PROXIES'),
      allowPrivateNetworks: [...LOOPBACK, ...(settings.networks('ASSAY_ALLOW_NETWORKS') ?? [])],
      allowCallbackNetworks: settings.networks('ASSAY_ALLOW_CALLBACK_NETWORKS') ?? LOOPBACK,
      processBounds: processBoundsFrom(settings),
      mail: mailFrom(settings),
      pricesUrl: settings.get('ASSAY_PRICES_URL'),
      // The log file is never rotated, so it has no requests unless the user asks for them.
      logLevel: logLevelOf(settings.get('ASSAY_LOG_LEVEL')) ?? ('warn' as const),
    },
  }
}

/** Says which networks are open in addition to the public internet: others' code and addresses come to this machine. */
export const openNetworks = ({
  allowPrivateNetworks,
  allowCallbackNetworks,
}: ReturnType<typeof startSettings>['server']): string =>
  `open beside the public internet: ${list(allowPrivateNetworks)} to agents, ${list(allowCallbackNetworks)} to callbacks, alerts and sources`

const list = (networks: readonly string[]) => networks.join(' and ') || 'nothing'

/** Returns undefined for the database that is started here. */
function migrationFrom(settings: Settings) {
  if (settings.get('DATABASE_URL') !== undefined) return migrationTarget(settings)
  if (settings.get('DATABASE_MIGRATE_URL') === undefined) return undefined
  throw invalid('DATABASE_MIGRATE_URL is for the database that DATABASE_URL names, which is not set.')
}

/** Ignores a HOST that is a machine's name, which shells and build tools set; refuses another listening address. */
function checkHost(host: string | undefined): void {
  if (host === undefined || host === HOST || host === 'localhost' || !/^[\d.]+$|:|^\*$/.test(host)) return
  throw new ExitError(
    'setting_not_for_start',
    `HOST is ${host}, and npm start listens on ${HOST} alone, since its agents may reach what else listens here. Put a reverse proxy before it (infra/proxies.md), or run node infra/node/main.ts.`,
  )
}

const given = <K extends string, V>(name: K, value: V | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>
