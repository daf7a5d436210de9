// A server that holds the requests of items until a test lets them through.

import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'

export interface Gate {
  url: string
  /** Resolves when a request is held. */
  reached(): Promise<void>
  /** Answers the held requests. */
  open(): void
  close(): Promise<void>
}

export async function startGate(): Promise<Gate> {
  const waiting: ServerResponse[] = []
  const arrivals = new EventEmitter()
  const server = createServer((_, response) => {
    waiting.push(response)
    arrivals.emit('arrival')
  })
  const open = () => {
    for (const response of waiting.splice(0)) response.end()
  }
  return {
    url: await listening(server),
    async reached() {
      if (waiting.length === 0) await once(arrivals, 'arrival')
    },
    open,
    async close() {
      open()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Starts a server on a free port; returns its URL. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}
