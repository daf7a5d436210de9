// An agent without any SDK: an HTTP function that takes JSON and returns JSON, one item per request.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

const FREQUENT = {
  en: ['the', 'and', 'of', 'to', 'is', 'in', 'that', 'it'],
  de: ['der', 'die', 'und', 'das', 'ist', 'nicht', 'ein', 'zu'],
  fr: ['le', 'la', 'et', 'les', 'des', 'est', 'une', 'pas'],
  es: ['el', 'los', 'y', 'que', 'una', 'es', 'por', 'con'],
}

/** The item's work: counts the words and characters, and guesses the language (null if no frequent word occurs). */
export function describe(text: string): { words: number; characters: number; language: string | null } {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  let best: { language: string | null; hits: number } = { language: null, hits: 0 }
  for (const [language, frequent] of Object.entries(FREQUENT)) {
    const hits = words.filter(word => frequent.includes(word)).length
    if (hits > best.hits) best = { language, hits }
  }
  return { words: words.length, characters: [...text].length, language: best.language }
}

/** Starts the function; port 0 takes any free port. */
export async function startFunction({
  port,
}: {
  port: number
}): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    // Headers identify the item: assay-run, assay-item-id, assay-attempt.
    const input = await jsonOf(request).catch(() => undefined)
    const text = (input as { text?: unknown } | null | undefined)?.text
    if (typeof text === 'string') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(describe(text)))
    } else {
      // A 4xx is final: the item fails as agent_error with this message. 429 and 5xx would be retried.
      response.writeHead(400, { 'content-type': 'text/plain' }).end('the input needs a "text"')
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8098' } } })
  const { url } = await startFunction({ port: Number(values.port) }).catch(error => {
    console.error(`${error.message}; --port 0 takes any free port`)
    process.exit(1)
  })
  console.log(`plain function on ${url}`)
}
