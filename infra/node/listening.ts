// Makes an HTTP server listen and close. Guarantee: it never closes a connection that a proxy in front of it is about
// to reuse, and answers malformed requests in JSON. Once `close` began, it accepts no connection, gives open requests
// LINGER_MS to end, and then closes everything.

import type { Server } from 'node:http'
import { ExitError } from '../local/exit-error.ts'
import { answerMalformed } from './malformed.ts'

const LINGER_MS = 5000
/**
 * Longer than proxies keep idle connections: nginx 60 s, Traefik 90 s, Caddy 120 s. Otherwise a POST would now and then
 * hit a connection that is just closing; no proxy may send a POST again, so the caller would get a 502.
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

/** Resolves once the server listens. @throws ExitError where a person can fix why it cannot */
export async function listening(server: Server, at: Address): Promise<Listener> {
  answerMalformed(server)
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
        // Open requests may end; idle connections are closed at once.
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), LINGER_MS).unref()
      }),
  }
}
