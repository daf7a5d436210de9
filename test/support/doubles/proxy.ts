// What the proxies of both platforms share: a server, and a way to forward a request.

import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'

export interface Proxy {
  url: string
  /** Accepts no more connections; resolves when the requests in flight have ended. */
  close(): Promise<void>
  /** Breaks off the requests in flight. */
  kill(): void
}

export async function startProxy(handle: RequestListener, port = 0): Promise<Proxy> {
  const server = http.createServer(handle).listen(port, '127.0.0.1')
  server.keepAliveTimeout = 65_000 // as platforms' gateways do: by default Node ends connections that an nginx is about to use
  await once(server, 'listening')
  const { port: bound } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
    kill() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Forwards the request; resolves with the head of the response. The caller passes its body back. */
export async function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: URL,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const { connection: _, 'transfer-encoding': __, ...given } = incoming.headersDistinct
  const chunked = 'transfer-encoding' in incoming.headers ? { 'transfer-encoding': 'chunked' } : {}
  const upstream = http.request(to, {
    method: incoming.method,
    headers: {
      ...(given as Record<string, string[]>),
      host: incoming.headers.host,
      connection: 'keep-alive',
      ...chunked,
      ...headers,
    },
    agent: false,
  })
  upstream.on('error', () => {}) // `once` below rejects with it, if it still waits
  outgoing.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
  const [response] = (await once(upstream, 'response')) as [IncomingMessage]
  return response
}

/** Passes head and body of a response back; `hold` keeps bytes until there are more, as a buffered writer does. */
export async function passBack(response: IncomingMessage, outgoing: ServerResponse, hold = 0): Promise<void> {
  const { connection: _, 'transfer-encoding': __, ...headers } = response.headers
  outgoing.writeHead(response.statusCode!, headers)
  if (hold === 0) outgoing.flushHeaders()
  let held: Buffer[] = []
  const flush = () => {
    if (held.length > 0) outgoing.write(Buffer.concat(held))
    held = []
  }
  try {
    for await (const chunk of response) {
      held.push(chunk)
      if (held.reduce((bytes, { length }) => bytes + length, 0) > hold) flush()
    }
    flush()
    outgoing.end()
  } catch {
    outgoing.destroy() // the response broke off there, so it breaks off here
  }
}

export const plain = (outgoing: ServerResponse, status: number, text: string, headers = {}) =>
  outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text)
