// A host in a process of its own that sends lines which record nothing, as fast as they are read: as an agent for each
// item whose input is `flood`, and as a source. Its other items are answered after two seconds, in the same answer.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const WELL_AFTER_MS = 2000
const of = (line: object) => `${JSON.stringify(line)}\n`
const many = (line: string, bytes = 65_536) => line.repeat(Math.ceil(bytes / line.length))

/** What is sent again and again, by the path. */
const FLOODS: Record<string, string> = {
  blank: many('\n'),
  spaces: many(`${' '.repeat(100)}\n`),
  junk: of({ type: 'heartbeat', more: 'x'.repeat(1_900_000) }),
  beats: many(of({ type: 'heartbeat' })),
  foreign: many(of({ type: 'result', seq: 999_999, attempt: 1, output: 1 })),
  later: many(of({ type: 'later' })),
  tiny: many('{}\n'),
}

interface ItemLine {
  seq: number
  attempt: number
  input: unknown
}

const isOpen = (response: ServerResponse) => !response.destroyed && !response.writableEnded

function pour(response: ServerResponse, flood: string): void {
  while (isOpen(response))
    if (!response.write(flood)) return void response.once('drain', () => pour(response, flood))
}

async function answer(items: ItemLine[], response: ServerResponse, flood: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  const guilty = items.filter(({ input }) => input === 'flood')
  setTimeout(() => {
    for (const { seq, attempt, input } of items)
      if (input !== 'flood' && isOpen(response))
        response.write(of({ type: 'result', seq, attempt, output: 'well' }))
    if (guilty.length === 0) response.end()
  }, WELL_AFTER_MS)
  if (guilty.length > 0) pour(response, flood)
}

/** 102 Processing, again and again, and never an answer. */
function neverBegins(request: IncomingMessage): void {
  const flood = many('HTTP/1.1 102 Processing\r\n\r\n')
  const { socket } = request
  const go = () => {
    while (!socket.destroyed) if (!socket.write(flood)) return void socket.once('drain', go)
  }
  go()
}

const server = createServer(async (request, response) => {
  response.on('error', () => {})
  request.socket.on('error', () => {})
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const [, role = '', what = ''] = new URL(request.url!, 'http://x').pathname.split('/')
  if (what === 'interim') return neverBegins(request)
  if (role === 'source') {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'item-count': '1' })
    response.write('{"a":1}\n')
    return pour(response, FLOODS[what]!)
  }
  await answer(
    text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line)),
    response,
    FLOODS[what]!,
  )
})
server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as { port: number }).port })
})
process.on('disconnect', () => process.exit(0))
