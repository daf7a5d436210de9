// Selects each workload's environment on every platform that runs the image. Guarantee: a workload gets only the
// settings and secrets it needs (infra/unit-settings.ts).

import type { Needs } from '../unit-settings.ts'
import { TICK, type Workload } from './image.ts'
import type { ImageValues } from './values.ts'

/** The URLs at which workloads reach each other. */
export interface Addresses {
  /** Contains `{unit}` for the unit's name. */
  unit: string
  /** Null where consumers stay up and nobody calls them. */
  consumer: string | null
  runtime: string
}

export function settingsOf(
  { name, needs }: Workload,
  values: ImageValues,
  at: Addresses,
): Record<string, string> {
  const known: Record<string, string | null | undefined> = {
    ASSAY_INSTALLATION: values.installation,
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

/** The needed secrets that the installation has: each setting with the name of its secret. */
export const secretsOf = ({ secrets }: Needs, values: ImageValues): { setting: string; secret: string }[] =>
  secrets.filter(({ secret, optional }) => !optional || (values.secrets as string[]).includes(secret))
