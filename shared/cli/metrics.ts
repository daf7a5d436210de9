// The figures of the whole installation, for who has the bearer of its metrics.

import { findAccess } from './access.ts'

const WAIT_MS = 5000

export type Metrics = Record<string, number>

/** Undefined for who has no bearer, or where it is not taken. */
export async function readMetrics(
  env: Record<string, string | undefined>,
  folder: string,
  ask: typeof fetch = fetch,
): Promise<Metrics | undefined> {
  const { base_url, metrics_token } = findAccess(env, folder)
  if (metrics_token === undefined) return undefined
  try {
    const response = await ask(`${base_url}/metrics`, {
      headers: { authorization: `Bearer ${metrics_token}` },
      signal: AbortSignal.timeout(WAIT_MS),
    })
    return response.ok ? metricsOf(await response.text()) : undefined
  } catch {
    return undefined // what else is asked says that nobody answers
  }
}

/** Values by name; of one with labels the labels are left out. */
export function metricsOf(text: string): Metrics {
  const lines = text.matchAll(/^(\w+)(?:\{[^}]*\})? (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, Number(value)]))
}
