// An HTTP server that listens. Guarantee: after `close` began no new connection is taken, requests under way may end
// within a bound, and then nothing is open any more.

import type { Server } from 'node:http'

const LINGER_MS = 5000

export interface Address {
  port: number
  host: string
}

export interface Listener {
  port: number
  url: string
  close(): Promise<void>
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
