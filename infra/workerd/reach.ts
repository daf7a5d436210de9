// Sends requests from workerd to addresses that callers named. Guarantee: a name leads only where the network service
// behind `outside` allows, which checks the resolved address; a literal address is checked here, as on every host.

import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Get, OutsideFile, OutsideRequest, Post } from '../../shared/kernel/outside.ts'
import { allowsOutside, literalAddress, refusedAddress } from '../outside/networks.ts'

export interface Outside {
  fetch: typeof fetch
}

/** `outside` is a network service with `allow = ["public", …]`; `allowNetworks` repeats its other allowed networks. */
export function createOutside(
  outside: Outside | undefined,
  allowNetworks: readonly string[],
): { post: Post; get: Get } {
  const allows = allowsOutside(allowNetworks)

  async function ask(
    method: 'GET' | 'POST',
    asked: Omit<OutsideRequest, 'body'> & { body?: OutsideRequest['body'] },
  ) {
    const { url, signal } = asked
    if (outside === undefined) throw new Error('No network service is bound as OUTSIDE: nothing can be sent.')
    const literal = literalAddress(new URL(url))
    if (literal !== undefined && !allows(literal)) throw refusedAddress(literal, literal)
    const { headers } = asked
    const body = typeof asked.body === 'object' ? streamOf(asked.body) : (asked.body ?? null)
    try {
      return await outside.fetch(url, { method, headers, body, signal, redirect: 'manual' })
    } catch (error) {
      if (signal.reason?.name === 'TimeoutError')
        throw new Error(`There was no answer within ${LIMITS.delivery_ms / 1000} s.`)
      throw signal.aborted
        ? signal.reason
        : new Error(`The host cannot be reached: ${(error as Error).message}`)
    }
  }

  return {
    async post(asked) {
      const response = await ask('POST', asked)
      await readSome(response).catch(() => {}) // however the response ends, only its status matters
      return { status: response.status }
    },
    async get(asked) {
      const response = await ask('GET', asked)
      return {
        status: response.status,
        header: name => response.headers.get(name) ?? undefined,
        framed: true, // workerd does not say
        body: read(response, asked.signal),
      }
    },
  }
}

/** Streams a file; a failure to read it aborts the request. */
function streamOf(file: OutsideFile): ReadableStream<Uint8Array> {
  const chunks = file.read()[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return?.()
    },
  })
}

async function* read(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* (response.body ?? []) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : new Error('The connection was cut before the answer ended.', { cause: error })
  }
}

async function readSome(response: Response): Promise<void> {
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > LIMITS.delivery_answer_bytes) return
  }
}
