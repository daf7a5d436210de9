// Sees the calls that items make with Node's own HTTP client, as axios and AWS's clients do. Guarantee: a call is seen from
// its status and headers alone, never changed, and never kept waiting; on hosts without Node's channels nothing happens.

import { addressOf } from './call-parts.ts'
import type { CallScope } from './call-scope.ts'

/** What is read of a request of node:http. */
interface ClientRequest {
  protocol?: string
  host?: string
  path?: string
  method?: string
  getHeader(name: string): unknown
}
interface ClientResponse {
  statusCode?: number
  headers?: Record<string, string | string[] | undefined>
}

/** How a call ended that `fetch` did not make. */
export interface NodeCall {
  scope: CallScope
  url: string
  headers: Record<string, string>
  method: string
  began_ms: number
  /** Null if there is no answer. */
  status: number | null
  header(name: string): string | null
  error: unknown
}

type Channel = { subscribe(name: string, on: (message: never) => void): void }
type Builtins = { getBuiltinModule?: (name: string) => unknown }

/** Headers that can hold a credential. */
const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** Reports each call of node:http that belongs to a scope, when its answer begins. */
export function watchNodeHttp(
  scopeOf: () => CallScope | undefined,
  ended: (call: NodeCall) => Promise<void>,
): void {
  const { process } = globalThis as { process?: Builtins }
  const channels = process?.getBuiltinModule?.('node:diagnostics_channel') as Channel | undefined
  if (typeof channels?.subscribe !== 'function') return
  const calls = new WeakMap<object, { scope: CallScope; began_ms: number; leave(): void }>()
  const end = (request: ClientRequest, response: ClientResponse | undefined, error: unknown) => {
    const call = calls.get(request)
    calls.delete(request)
    if (call === undefined) return
    call.leave()
    const { headers = {} } = response ?? {}
    call.scope.settles(
      ended({
        ...call,
        ...partsOf(request),
        status: response?.statusCode ?? null,
        header: name => String(headers[name] ?? '') || null,
        error,
      }),
    )
  }
  channels.subscribe('http.client.request.start', ({ request }: { request: ClientRequest }) => {
    const scope = scopeOf()
    if (scope && !scope.isOver) calls.set(request, { scope, began_ms: Date.now(), leave: scope.enter() })
  })
  channels.subscribe(
    'http.client.response.finish',
    ({ request, response }: { request: ClientRequest; response: ClientResponse }) =>
      end(request, response, undefined),
  )
  channels.subscribe(
    'http.client.request.error',
    ({ request, error }: { request: ClientRequest; error: unknown }) => end(request, undefined, error),
  )
}

function partsOf(request: ClientRequest): Pick<NodeCall, 'url' | 'headers' | 'method'> {
  const host = String(request.getHeader('host') ?? request.host ?? '')
  const headers: Record<string, string> = {}
  for (const name of CREDENTIALS) {
    const value = request.getHeader(name)
    if (typeof value === 'string') headers[name] = value
  }
  return {
    url: `${request.protocol ?? 'http:'}//${host}${request.path ?? '/'}`,
    headers,
    method: request.method ?? 'GET',
  }
}

export const addressOfNode = (key: string, { url, headers, method }: NodeCall) =>
  addressOf(key, url, { headers, method })
