// An HTTP server behind a source's URL: it answers as the test says, and keeps the requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Serve = (response: ServerResponse, request: IncomingMessage) => void

export interface TestSource {
  url: string
  asked: IncomingMessage[]
  /** How it answers from now on. */
  serve: Serve
  close(): Promise<void>
}

export async function startSource(serve: Serve): Promise<TestSource> {
  const server = createServer((request, response) => {
    source.asked.push(request)
    source.serve(response, request)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const source: TestSource = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/export`,
    asked: [],
    serve,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return source
}

/** Tickets as lines, numbered from 1. */
export const ticketLines = (n: number) =>
  Array.from({ length: n }, (_, at) => `${JSON.stringify({ id: `T-${at + 1}`, tenant: `t${at % 3}` })}\n`)

/** Sends the text at once, with its length. */
export const body =
  (text: string, headers: Record<string, string> = {}): Serve =>
  response =>
    response.writeHead(200, { 'content-length': Buffer.byteLength(text), ...headers }).end(text)
