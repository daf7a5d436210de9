// A model provider for demos and tests on one machine, in OpenAI's and Anthropic's formats: no key, no network,
// no cost. Guarantee: the answer to a text is always the same, failures included (see fate.ts).

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { type Sample, train } from './classifier.ts'
import { Fates } from './fate.ts'
import { Model } from './model.ts'
import { answerOf, anthropicMessage, type ChatRequest, openaiCompletion, promptOf } from './shapes.ts'

const MODELS = ['assay-demo-small']
const BODY_BYTES = 4 * 1024 * 1024

interface Reply {
  status: number
  body: object
  headers?: Record<string, string>
}

const TRAINING = new URL('training.jsonl', import.meta.url)

/**
 * Starts the server on 127.0.0.1; port 0 takes any free port. A bundle has to pass the path of its training data.
 *
 * @example
 * const model = await startModelServer({ port: 0 })
 * new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' })
 */
export async function startModelServer({
  port,
  training = TRAINING,
}: {
  port: number
  training?: URL | string
}): Promise<{ url: string; close(): Promise<void> }> {
  const answer = responder(training)
  const server = createServer(async (request, response) => {
    const reply = await bodyOf(request).then(
      body => answer(request.method ?? '', request.url ?? '', body),
      error => failure(400, 'invalid_request_error', error.message),
    )
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(JSON.stringify(reply.body))
  })
  server.keepAliveTimeout = 60_000
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

function responder(training: URL | string): (method: string, path: string, body: string) => Reply {
  const lines = readFileSync(training, 'utf8').trim().split('\n')
  const model = new Model(train(lines.map(line => JSON.parse(line) as Sample)))
  const fates = new Fates()

  return (method, path, body) => {
    const route = `${method} ${path.split('?')[0]}`
    if (route === 'GET /v1/models') {
      const data = MODELS.map(id => ({ id, object: 'model', created: 1_760_000_000, owned_by: 'assay' }))
      return { status: 200, body: { object: 'list', data } }
    }
    if (route !== 'POST /v1/chat/completions' && route !== 'POST /v1/messages') {
      return failure(404, 'not_found_error', `${route} does not exist here`)
    }
    const request: ChatRequest = JSON.parse(body)
    if (request.stream) return failure(400, 'invalid_request_error', 'stream: this server answers whole')
    const prompt = promptOf(request)
    const fate = fates.of(`${prompt.json ? 'json' : 'text'} ${prompt.text}`)
    if (fate === 'rate_limited') {
      return {
        ...failure(429, 'rate_limit_error', 'Rate limit reached, try again'),
        headers: { 'retry-after': '1' },
      }
    }
    if (fate === 'overloaded' || fate === 'broken') {
      return failure(500, 'server_error', 'The server had an error while processing your request')
    }
    const answer = answerOf(request, model.answer(prompt), fate)
    const shaped = route.endsWith('/messages')
      ? anthropicMessage(answer)
      : openaiCompletion(answer, !!prompt.json)
    return { status: 200, body: shaped }
  }
}

/** An error body that both providers' clients understand. */
function failure(status: number, type: string, message: string): Reply {
  return { status, body: { type: 'error', error: { type, code: type, message, param: null } } }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES) throw new Error(`the body is longer than ${BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8099' } } })
  const { url } = await startModelServer({ port: Number(values.port) }).catch(error => {
    console.error(`${error.message}; --port 0 takes any free port`)
    process.exit(1)
  })
  console.log(`model server on ${url}: OPENAI_BASE_URL=${url}/v1 ANTHROPIC_BASE_URL=${url}`)
}
