// POSTs to addresses that callers named, from workerd. Guarantee: a name leads only where the network service behind
// `outside` allows, which judges what was resolved; an address that is spelled out is judged here as on every host.

import { LIMITS } from '../../shared/domain/limits.ts'
import type { Post } from '../../shared/engine/outside-port.ts'
import { allowsOutside, literalAddress, refusedAddress } from '../outside/networks.ts'

export interface Outside {
  fetch: typeof fetch
}

/** `outside` is a network service with `allow = ["public", …]`; `allowNetworks` repeats what else it allows. */
export function createPost(outside: Outside | undefined, allowNetworks: readonly string[]): Post {
  const allows = allowsOutside(allowNetworks)
  return async ({ url, headers, body, signal }) => {
    if (outside === undefined) throw new Error('No network service is bound as OUTSIDE: nothing can be sent.')
    const literal = literalAddress(new URL(url))
    if (literal !== undefined && !allows(literal)) throw refusedAddress(literal, literal)
    try {
      const response = await outside.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
      await readSome(response).catch(() => {}) // however the answer ends, its head has said what matters
      return { status: response.status }
    } catch (error) {
      if (signal.reason?.name === 'TimeoutError')
        throw new Error(`There was no answer within ${LIMITS.delivery_ms / 1000} s.`)
      throw signal.aborted
        ? signal.reason
        : new Error(`The host cannot be reached: ${(error as Error).message}`)
    }
  }
}

async function readSome(response: Response): Promise<void> {
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > LIMITS.delivery_answer_bytes) return
  }
}
