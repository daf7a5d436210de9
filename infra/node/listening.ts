// An HTTP server that listens. Guarantee: it never closes a connection that a proxy before it is about to use again; after
// `close` began no new connection is taken, requests under way may end within a bound, and then nothing is open any more.

import type { Server } from 'node:http'
import { ExitError } from '../local/exit-error.ts'

const LINGER_MS = 5000
/**
 * Longer than proxies do: nginx keeps an idle connection for 60 s, Traefik for 90, Caddy for 120. The other way round a
 * POST would now and then meet the end of its connection, which no proxy may send again, and be answered 502.
 */
const KEEP_ALIVE_MS = 125_000

export interface Address {
  port: number
  host: string
}

export interface Listener {
  port: number
  url: string
  close(): Promise<void>
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: Address): Error {
  const why = {
    EADDRINUSE: 'is taken: stop what uses it, or set PORT to another',
    EACCES: 'is not open to this user: set PORT to one of 1024 or more',
    EADDRNOTAVAIL: 'cannot be listened at: set HOST to an address of this machine',
    ENOTFOUND: 'cannot be listened at: set HOST to an address of this machine',
  }[error.code ?? '']
  if (why === undefined) return error
  const code = error.code === 'EADDRINUSE' ? 'port_in_use' : 'port_unusable'
  return new ExitError(code, `port ${port} on ${host} ${why}.`)
}

/** A server that was told to listen, once it does. @throws ExitError where a person can mend what keeps it from that */
export async function listening(server: Server, at: Address): Promise<Listener> {
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject)).catch(
    error => {
      throw cannotListen(error, at)
    },
  )
  server.keepAliveTimeout = KEEP_ALIVE_MS
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
