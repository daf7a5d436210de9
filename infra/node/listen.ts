// An HTTP server around a fetch handler. Guarantee: after `close` began no new connection is taken, requests under way
// may end within a bound, and then nothing is open any more.

import { type HttpBindings, serve } from '@hono/node-server'

const LINGER_MS = 5000

// Where requests came from; a request is only known by its socket while it is being handled.
const addresses = new WeakMap<Request, string>()

export const addressOf = (request: Request): string | null => addresses.get(request) ?? null

export interface Listener {
  port: number
  url: string
  close(): Promise<void>
}

/** Resolves when requests are taken. */
export async function listen(
  at: { port: number; host: string },
  handle: (request: Request) => Response | Promise<Response>,
): Promise<Listener> {
  const fetch = (request: Request, env: HttpBindings) => {
    addresses.set(request, env.incoming.socket.remoteAddress ?? '')
    return handle(request)
  }
  const server = serve({ fetch: fetch as (request: Request) => Response, port: at.port, hostname: at.host })
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
        if ('closeIdleConnections' in server) server.closeIdleConnections()
        setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), LINGER_MS).unref()
      }),
  }
}
