// An HTTP server around a fetch handler. Guarantee: after `close` began no new connection is taken, requests under way
// may end within a bound, and then nothing is open any more.

import type { Server } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { createCallerAddress } from './caller-address.ts'

const LINGER_MS = 5000

// Where requests came from; a request is only known by its socket while it is being handled.
const addresses = new WeakMap<Request, string>()

export const addressOf = (request: Request): string | null => addresses.get(request) ?? null

export interface Address {
  port: number
  host: string
}

export interface Listener {
  port: number
  url: string
  close(): Promise<void>
}

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

/** A server that was told to listen, once it does. */
export async function listening(server: Server, at: Address): Promise<Listener> {
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : at.port
  return {
    port,
    url: `http://${at.host}:${port}`,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        // Requests under way may end; connections that only wait for another are closed at once.
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), LINGER_MS).unref()
      }),
  }
}
