// The interface of the exporter of traces and measurements. It is separate from OpenTelemetry's library, which is
// loaded only where something is exported.

import type { Context } from '../../shared/context.ts'
import type { Telemetry } from '../../shared/traces/rules/telemetry.ts'
import type { Figures } from '../../shared/upkeep/verbs/metrics.ts'

export interface TelemetryOptions {
  traces: boolean
  metrics: boolean
  /** The share of traces to export, 0 to 1; `heeds_caller` lets a caller's own sampling decision override it. */
  share: number
  heeds_caller: boolean
  interval_ms: number
  /** The name of the installation, if it has one. */
  installation: string | undefined
}

export interface Exporter extends Telemetry {
  /** From then on it logs what it drops; `figures` is called for each export of measurements. */
  start(log: Context['log'], figures?: () => Promise<Figures>): void
  /** Sends what is left, within LIMITS.telemetry_flush_ms. Never rejects. */
  close(): Promise<void>
}
