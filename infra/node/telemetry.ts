// Decides by OpenTelemetry's own settings whether this process exports traces and measurements. Guarantee: where they
// name no receiver, nothing of OpenTelemetry is loaded.

import { LIMITS } from '../../shared/kernel/limits.ts'
import { invalid } from '../local/exit-error.ts'
import type { Exporter, TelemetryOptions } from './exporter.ts'
import { installationFrom, type Settings } from './settings.ts'

/** Returns the exporter, or null where nothing is exported. @throws ExitError when a setting is not supported */
export async function openTelemetry(settings: Settings): Promise<Exporter | null> {
  const isOn = (signal: 'TRACES' | 'METRICS') =>
    settings.get(`OTEL_${signal}_EXPORTER`) !== 'none' &&
    (settings.get(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? settings.get('OTEL_EXPORTER_OTLP_ENDPOINT')) !==
      undefined
  const [traces, metrics] = [isOn('TRACES'), isOn('METRICS')]
  if (settings.get('OTEL_SDK_DISABLED') === 'true' || !(traces || metrics)) return null
  if (settings.get('OTEL_EXPORTER_OTLP_PROTOCOL') === 'grpc')
    throw invalid(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc: only http/json is spoken; name the port for HTTP, 4318.',
    )
  // The library reads these from the environment itself, but the headers may be a secret in a file.
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'] as const) {
    const value = settings.get(name)
    if (value !== undefined) process.env[name] = value
  }
  const { default: interval_ms, ...bounds } = LIMITS.telemetry_interval_ms
  const { createExporter } = await import('./otlp.ts')
  return createExporter({
    traces,
    metrics,
    ...samplerOf(settings),
    installation: installationFrom(settings),
    interval_ms: settings.whole('OTEL_METRIC_EXPORT_INTERVAL', bounds) ?? interval_ms,
  })
}

function samplerOf(settings: Settings): Pick<TelemetryOptions, 'share' | 'heeds_caller'> {
  const name = settings.get('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const argument = settings.get('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const share = { always_on: 1, always_off: 0, traceidratio: Number(argument) }[
    name.replace(/^parentbased_/, '')
  ]
  if (share === undefined)
    throw invalid(
      `OTEL_TRACES_SAMPLER is ${name}: it takes always_on, always_off, traceidratio, each also with parentbased_ before it.`,
    )
  if (!(share >= 0 && share <= 1))
    throw invalid(`OTEL_TRACES_SAMPLER_ARG is ${argument}: it takes a number from 0 to 1.`)
  return { share, heeds_caller: name.startsWith('parentbased_') }
}
