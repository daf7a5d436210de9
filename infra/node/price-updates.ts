// Updates the price list of a process from a URL, where its operator sets one. Guarantee: a list that cannot be read is
// logged and changes nothing; recorded costs stay; the address, which tenants may read, is shown without its secrets.

import type { Context } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { shownUrl } from '../../shared/kernel/shown-url.ts'
import { readFetchedPrices } from '../../shared/prices/rules/fetched-prices.ts'
import { usePrices } from '../../shared/prices/rules/price-book.ts'

/** Fetches now and then every day; returns a function that stops it. */
export function keepPrices(url: string, log: Context['log']): () => void {
  const shown = shownUrl(url)
  const update = () =>
    updatePrices(url).then(
      models => log('info', 'prices_updated', { url: shown, models }),
      error => log('warn', 'prices_not_updated', { url: shown, error: String(error).replaceAll(url, shown) }),
    )
  void update()
  const timer = setInterval(update, LIMITS.prices_update_ms).unref()
  return () => clearInterval(timer)
}

/** Fetches the list and returns its number of models. @throws where it cannot be fetched or is malformed */
export async function updatePrices(url: string, now = Date.now()): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMITS.prices_fetch_ms) })
  if (!response.ok) throw new Error(`the answer is ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > LIMITS.prices_bytes) throw new Error(`it is longer than ${LIMITS.prices_bytes} bytes`)
    parts.push(part)
  }
  const providers = readFetchedPrices(Buffer.concat(parts).toString())
  usePrices(providers, new Date(now).toISOString().slice(0, 10), shownUrl(url))
  return providers.reduce((sum, { models }) => sum + models.length, 0)
}
