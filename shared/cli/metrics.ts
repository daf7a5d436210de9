// The figures of the whole installation, for who has the bearer of its metrics.

import { findMetrics } from './access.ts'

const WAIT_MS = 5000

export interface Metrics {
  values: Record<string, number>
  /** Those of `assay_info`, which tells versions. */
  labels: Record<string, string>
}

/** Undefined for who has no bearer, or where it is not taken. */
export async function readMetrics(
  env: Record<string, string | undefined>,
  folder: string,
): Promise<Metrics | undefined> {
  const { base_url, metrics_token } = findMetrics(env, folder)
  if (metrics_token === undefined) return undefined
  try {
    const response = await fetch(`${base_url}/metrics`, {
      headers: { authorization: `Bearer ${metrics_token}` },
      signal: AbortSignal.timeout(WAIT_MS),
    })
    return response.ok ? metricsOf(await response.text()) : undefined
  } catch {
    return undefined // what else is asked says that nobody answers
  }
}

export function metricsOf(text: string): Metrics {
  const values = [...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)])
  const info = /^assay_info\{(.*)\} 1$/m.exec(text)?.[1] ?? ''
  const labels = [...info.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!])
  return { values: Object.fromEntries(values), labels: Object.fromEntries(labels) }
}
