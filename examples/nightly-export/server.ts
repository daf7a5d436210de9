// A system that exports its tickets, so that a schedule can read them as its source.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

const TENANTS = ['north', 'south', 'west']
const SUBJECTS = ['Where is my order?', 'I was charged twice', 'How do I reset it?', 'Please cancel my plan']

/** The tickets of a day as NDJSON, one per line. */
export const exported = (day: string, rows: number): string =>
  Array.from({ length: rows }, (_, at) =>
    JSON.stringify({
      ticket_id: `${day}-${at + 1}`,
      tenant: TENANTS[at % TENANTS.length],
      text: SUBJECTS[at % SUBJECTS.length],
    }),
  ).join('\n')

export interface ExportServer {
  url: string
  close(): Promise<void>
}

/** Serves `/export?day=…` to callers that send the token; port 0 takes any free port. */
export async function startExport({
  port,
  rows,
  token,
}: {
  port: number
  rows: number
  token: string
}): Promise<ExportServer> {
  const server = createServer((request, response) => {
    const day = new URL(request.url!, 'http://export').searchParams.get('day')
    if (request.headers.authorization !== `Bearer ${token}`)
      return response.writeHead(401).end('who are you?')
    if (day === null) return response.writeHead(400).end('which day?')
    const text = exported(day, rows)
    // Assay compares the rows with Item-Count: an export that ends earlier starts nothing.
    const head = { 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(text) }
    response.writeHead(200, { ...head, 'item-count': rows }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/export`,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8097' },
      rows: { type: 'string', default: '5000' },
      token: { type: 'string', default: 'local' },
    },
  })
  const { url } = await startExport({
    port: Number(values.port),
    rows: Number(values.rows),
    token: values.token,
  }).catch(error => {
    console.error(`${error.message}; --port 0 takes any free port`)
    process.exit(1)
  })
  console.log(
    `${values.rows} tickets of any day at ${url}?day=2026-03-01, for "Authorization: Bearer ${values.token}"`,
  )
}
