// An HTTP server that receives callbacks, keeps them, and answers as the test says.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startWaiting } from './waiting.ts'

export interface Received {
  headers: Record<string, string>
  body: string
  path: string
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void

export interface Receiver {
  url: string
  received: Received[]
  /** How it answers from now on; 204 by default. */
  answer: Answer
  /** Resolves when it has received that many messages in all. */
  got(n: number): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const waiting = startWaiting()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const text of request.setEncoding('utf8')) body += text
    receiver.received.push({ headers: request.headers as Record<string, string>, body, path: request.url! })
    receiver.answer(response, request)
    waiting.look()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: response => response.writeHead(204).end(),
    got: n => waiting.until(() => receiver.received.length >= n),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return receiver
}
