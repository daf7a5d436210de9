// An HTTP server around a fetch handler, which knows where its requests came from.

import type { Server } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { createCallerAddress } from './caller-address.ts'
import { type Address, type Listener, listening } from './listening.ts'

// Where requests came from; a request is only known by its socket while it is being handled.
const addresses = new WeakMap<Request, string>()

export const addressOf = (request: Request): string | null => addresses.get(request) ?? null

/** Resolves when requests are taken. */
export async function listen(
  at: Address & {
    /** Networks (CIDR) of proxies that are believed where a request came from. */
    proxies?: readonly string[] | undefined
  },
  handle: (request: Request) => Response | Promise<Response>,
): Promise<Listener> {
  const callerOf = createCallerAddress(at.proxies ?? [])
  const fetch = (request: Request, { incoming }: HttpBindings) => {
    const forwarded = incoming.headersDistinct['x-forwarded-for']?.join(',') ?? null
    addresses.set(request, callerOf(incoming.socket.remoteAddress ?? '', forwarded))
    return handle(request)
  }
  const server = serve({ fetch: fetch as (request: Request) => Response, port: at.port, hostname: at.host })
  return listening(server as Server, at)
}
