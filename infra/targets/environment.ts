// What each workload is told, on every platform that runs the image: of the values what it reads, and the secrets it needs
// (infra/unit-settings.ts), and nothing else.

import type { Needs } from '../unit-settings.ts'
import { TICK, type Workload } from './image.ts'
import type { ImageValues } from './values.ts'

/** Where workloads find each other. */
export interface Addresses {
  /** With `{unit}` for its name. */
  unit: string
  /** Null where consumers stay up and are called by nobody. */
  consumer: string | null
  runtime: string
}

export function settingsOf(
  { name, needs }: Workload,
  values: ImageValues,
  at: Addresses,
): Record<string, string> {
  const known: Record<string, string | null | undefined> = {
    BASE_URL: values.base_url,
    ASSAY_TRUSTED_PROXIES: list(values.trusted_proxies),
    ASSAY_LOG_LEVEL: values.log_level,
    ASSAY_UNIT_URL: at.unit,
    ASSAY_CONSUMER_URL: at.consumer,
    ASSAY_RUNTIME_URL: at.runtime,
    ASSAY_CONSUME_SECONDS: at.consumer === null ? null : String(values.consumer_seconds),
    ASSAY_CONSUMERS_MAX: String(values.consumers_max),
    ASSAY_ALLOW_NETWORKS: list(values.agent_networks),
    ASSAY_ALLOW_CALLBACK_NETWORKS: list(values.callback_networks),
    ASSAY_MAIL_FROM: values.mail_from,
    ASSAY_TICK_OPEN: name === TICK ? 'true' : null, // neither cron-connector nor a PingSource sends credentials
  }
  const own = needs.settings.flatMap(setting => {
    const value = known[setting]
    return value ? [[setting, value]] : []
  })
  const exports = needs.settings.includes('OTEL_EXPORTER_OTLP_ENDPOINT')
  return { FUNCTION: name, ...Object.fromEntries(own), ...(exports ? values.telemetry : {}) }
}

const list = (networks: readonly string[]) => networks.join(',')

/** Those that the installation has: the setting, and the name that its secret is kept under. */
export const secretsOf = ({ secrets }: Needs, values: ImageValues): { setting: string; secret: string }[] =>
  secrets.filter(({ secret, optional }) => !optional || (values.secrets as string[]).includes(secret))
