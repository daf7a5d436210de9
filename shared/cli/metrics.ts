// Reads the metrics of the whole installation, which needs their bearer.

import { findMetrics } from './access.ts'

const WAIT_MS = 5000

export interface Metrics {
  values: Record<string, number>
  /** The labels of `assay_info`, which hold versions. */
  labels: Record<string, string>
}

/** Why there are no metrics. */
export interface NoMetrics {
  why: 'no_token' | 'refused' | 'elsewhere'
}

export async function readMetrics(
  env: Record<string, string | undefined>,
  folder: string,
): Promise<Metrics | NoMetrics> {
  const { base_url, metrics_token } = findMetrics(env, folder)
  if (metrics_token === undefined) return { why: 'no_token' }
  try {
    const response = await fetch(`${base_url}/metrics`, {
      headers: { authorization: `Bearer ${metrics_token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(WAIT_MS),
    })
    const text = await response.text()
    if (response.ok && /^assay_/m.test(text)) return metricsOf(text)
    return { why: response.status === 401 ? 'refused' : 'elsewhere' }
  } catch {
    return { why: 'elsewhere' } // other requests report that the server does not answer
  }
}

export function metricsOf(text: string): Metrics {
  const values = [...text.matchAll(/^(\w+)(?:\{installation="[^"]*"\})? (\S+)$/gm)].map(([, name, value]) => [
    name!,
    Number(value),
  ])
  const info = /^assay_info\{(.*)\} 1$/m.exec(text)?.[1] ?? ''
  const labels = [...info.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!])
  return { values: Object.fromEntries(values), labels: Object.fromEntries(labels) }
}
