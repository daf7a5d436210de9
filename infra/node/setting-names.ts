// Lists the settings of a process by name. Guarantee: no setting outside the list is read, and a variable that looks
// like a setting but is none is reported with the name that may have been meant.

import { nearest } from '../../shared/kernel/nearest.ts'
import type { Log } from '../../shared/upkeep/rules/log-events.ts'

/** Each may also be in a file that NAME_FILE names. OpenTelemetry's own settings are not listed. */
export const SETTING_NAMES = [
  'ASSAY_AGENT_ITEMS',
  'ASSAY_AGENT_KEY',
  'ASSAY_AGENT_MEMORY_MIB',
  'ASSAY_ALLOW_CALLBACK_NETWORKS',
  'ASSAY_ALLOW_NETWORKS',
  'ASSAY_CONSUMER_URL',
  'ASSAY_CONSUMERS_MAX',
  'ASSAY_CONSUME_SECONDS',
  'ASSAY_DATABASE_CONNECTIONS',
  'ASSAY_DATA_DIR',
  'ASSAY_INSTALLATION',
  'ASSAY_KEYS',
  'ASSAY_LOG_LEVEL',
  'ASSAY_MAIL_FROM',
  'ASSAY_MASTER_KEY',
  'ASSAY_METRICS_TOKEN',
  'ASSAY_OPERATOR_KEY',
  'ASSAY_PARTS',
  'ASSAY_PRICES_URL',
  'ASSAY_RUNTIME_URL',
  'ASSAY_SMTP_URL',
  'ASSAY_TICK_OPEN',
  'ASSAY_TRUSTED_PROXIES',
  'ASSAY_UNIT_URL',
  'BASE_URL',
  'DATABASE_CA',
  'DATABASE_MIGRATE_URL',
  'DATABASE_URL',
  'FUNCTION',
  'HOST',
  'PORT',
  'REDIS_CA',
  'REDIS_URL',
] as const
export type SettingName = (typeof SETTING_NAMES)[number] | `OTEL_${string}`

/** Variables of the command line, of tests and of files that a shell fills in, which may be in the same environment. */
const OF_OTHERS = [
  'ASSAY_API_KEY',
  'ASSAY_BASE_URL',
  'ASSAY_FAULTS',
  'ASSAY_IMAGE',
  'ASSAY_PROFILE',
  'ASSAY_RECORD',
  'ASSAY_UPGRADE_FROM',
]
/** Kubernetes adds these variables for each Service of the namespace, and ours are named assay-…. */
const OF_SERVICES = /_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))(_\w+)?$|_PORT$/
const LETTERS_APART = 4

export interface UnknownSetting {
  name: string
  /** The setting with the most similar name. */
  meant?: string
}

/** @example unknownSettings({ ASSAY_TRUSTED_PROXY: '…' }) // [{ name: 'ASSAY_TRUSTED_PROXY', meant: 'ASSAY_TRUSTED_PROXIES' }] */
export function unknownSettings(env: Record<string, string | undefined>): UnknownSetting[] {
  const known = new Set<string>([...SETTING_NAMES, ...OF_OTHERS])
  return Object.keys(env)
    .filter(name => name.startsWith('ASSAY_') && env[name])
    .filter(name => !known.has(name.replace(/_FILE$/, '')))
    .filter(name => name === 'ASSAY_PORT' || !OF_SERVICES.test(name))
    .map(name => {
      const bare = name.slice('ASSAY_'.length)
      const meant = known.has(bare) ? bare : nearest(name, SETTING_NAMES, LETTERS_APART)
      return { name, ...(meant !== undefined && { meant }) }
    })
}

/** Logs a warning for each unknown setting. */
export function warnOfUnknown(env: Record<string, string | undefined>, log: Log): void {
  for (const unknown of unknownSettings(env)) log('warn', 'unknown_setting', { ...unknown })
}
