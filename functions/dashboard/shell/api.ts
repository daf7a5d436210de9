// Lets pages call the API within the process. Guarantee: a page can do and see exactly what its member can through the
// API, under the same checks, limits and log; and it knows which calls it made.

import type { Context } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { showsSecret } from '../../../shared/http/compression.ts'
import type { Endpoint } from '../../../shared/http/operation.ts'
import { type Client, createClient } from '../../../shared/sdk/client.ts'
import { checkedOnly } from './checked-only.ts'

/** A host that does not resolve: a call never leaves the process. */
const ORIGIN = 'http://api.invalid'

/** A call as an external client would make it. */
export interface Call {
  method: string
  /** Includes the query. */
  path: string
  body?: string
}

export interface Api {
  client: Client
  /** For requests that the typed client does not cover, such as a stream that is passed on. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  calls: readonly Call[]
  /** Whether an answer to one of the calls showed a secret. */
  sawSecret(): boolean
}

/** Returns a factory of API clients for pages; each call runs in the context of the page's own request. */
export function createApi(endpoints: readonly Endpoint[]) {
  const contexts = new WeakMap<Request, Context>()
  const app = createApp(endpoints, request => contexts.get(request)!)

  /**
   * @param outer the browser's request: its address and user agent count as the caller's
   * @param isCheck of calls that would write, only the fields are checked
   */
  return (ctx: Context, outer: Request, access_token: string, isCheck = false): Api => {
    const calls: Call[] = []
    let sawSecret = false
    const inner: Context = { ...ctx, addressOf: () => ctx.addressOf(outer) }
    const call = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = input instanceof Request ? input : new Request(input, init)
      request.headers.set('user-agent', outer.headers.get('user-agent') ?? '')
      if (isCheck && request.method !== 'GET') return checkedOnly(endpoints, request)
      contexts.set(request, inner)
      const { pathname, search } = new URL(request.url)
      calls.push({ method: request.method, path: pathname + search })
      const response = await app.fetch(request)
      sawSecret ||= showsSecret(response)
      return response
    }
    const client = createClient({ baseUrl: ORIGIN, apiKey: access_token, fetch: call })
    return {
      client,
      calls,
      sawSecret: () => sawSecret,
      fetch: (path, init = {}) => {
        const headers = new Headers(init.headers)
        headers.set('authorization', `Bearer ${access_token}`)
        return call(new URL(path, ORIGIN), { ...init, headers })
      },
    }
  }
}
