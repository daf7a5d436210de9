// What exports traces and measurements is asked for, and does: apart from OpenTelemetry's library, which is loaded only
// where something is exported.

import type { Context } from '../../shared/context.ts'
import type { Telemetry } from '../../shared/traces/rules/telemetry.ts'
import type { Figures } from '../../shared/upkeep/verbs/metrics.ts'

export interface TelemetryOptions {
  traces: boolean
  metrics: boolean
  /** The share of traces that are exported, 0 to 1, and whether a caller's own decision goes before it. */
  share: number
  heeds_caller: boolean
  interval_ms: number
}

export interface Exporter extends Telemetry {
  /** From here on it logs what it drops; `figures` are read for each export of measurements. */
  start(log: Context['log'], figures?: () => Promise<Figures>): void
  /** Sends what is left, within a bound. Never rejects. */
  close(): Promise<void>
}
