// An agent behind a URL that answers every item, as a test says, and can be made to hold its answers back.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeldAgent {
  /** The agent's URL for requests under this name. */
  urlOf(name: string): string
  /** How many requests under this name it has not answered yet. */
  held(name: string): number
  /** From now on only the first request under each name is answered; the others wait for `release`. */
  hold(): void
  release(): void
  close(): void
}

interface Asked {
  seq: number
  attempt: number
}
const worked = ({ seq, attempt }: Asked): object[] => [{ type: 'result', seq, attempt, output: { seq } }]

/** `answer` returns the lines about an item. */
export async function heldAgent(answer = worked): Promise<HeldAgent> {
  const held = new Map<string, number>()
  const met = new Set<string>()
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const change = (name: string, by: number) => held.set(name, (held.get(name) ?? 0) + by)
  const server = createServer(async (request, response) => {
    const name = request.url!.slice(1)
    let body = ''
    for await (const chunk of request) body += chunk
    response.setHeader('content-type', 'application/x-ndjson')
    response.flushHeaders()
    change(name, 1)
    if (met.has(name)) await gate.promise
    met.add(name)
    change(name, -1)
    const lines = body.split('\n').filter(line => line !== '')
    const answers = lines.flatMap(line => answer(JSON.parse(line)))
    response.end(answers.map(one => `${JSON.stringify(one)}\n`).join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: name => `http://127.0.0.1:${port}/${name}`,
    held: name => held.get(name) ?? 0,
    hold() {
      gate = Promise.withResolvers()
    },
    release: () => gate.resolve(),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
