// The agent behind a URL, its own process. It speaks the protocol by hand, so that outputs are the exact bytes of
// payloads.ts, and reports refusals of its provider as an agent does that keeps no count of them. A message `{leave: ms}`
// closes its listener and all connections for so long; it answers with `back`.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ItemError } from '../../shared/protocol/rules/protocol.ts'
import { type Doing, MODEL, outputOf, slowMsOf } from './payloads.ts'

interface Item {
  seq: number
  attempt: number
  probe?: boolean
  recorded?: { key: string }[]
  input: { do: Doing; name: string }
}

const INPUT = '"input":'
const { PROVIDER_URL } = process.env
const host = new URL(PROVIDER_URL!).host

interface Asked {
  /** The body of a good answer. */
  output?: unknown
  refused?: ItemError
  ago_ms: number
}

async function ask(of: string): Promise<Asked> {
  const from = performance.now()
  const response = await fetch(PROVIDER_URL!, {
    method: 'POST',
    headers: { authorization: 'Bearer url', 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, of }),
  })
  const body = await response.json()
  const ago_ms = Math.round(performance.now() - from)
  if (response.ok) return { output: body, ago_ms }
  const moment = response.headers.get('retry-after')
  const refused = {
    code: 'provider_refused',
    message: JSON.stringify(body),
    upstream: { host, ago_ms },
    status: response.status,
    ...(moment !== null && { retry_after_ms: Number(moment) * 1000 }),
  }
  return { refused, ago_ms }
}

async function work(line: string, response: ServerResponse): Promise<void> {
  const { seq, attempt, probe, recorded = [], input } = JSON.parse(line) as Item
  const say = (type: string, more = '') =>
    response.write(`{"type":"${type}","seq":${seq},"attempt":${attempt}${more}}\n`)
  const step = (key: string, more: object) => {
    if (recorded.some(one => one.key === key)) return false
    const entry = { key, name: key, started_at: new Date().toISOString(), duration_ms: 1, ...more }
    return say('step', `,"step":${JSON.stringify(entry)}`)
  }
  // `input` is the last key of its line, and the storm's inputs do not contain it.
  const output = `,"output":${outputOf(line.slice(line.lastIndexOf(INPUT) + INPUT.length, -1))}`
  switch (input.do) {
    case 'step': {
      if (recorded.some(one => one.key === 'ask')) return void say('result', output)
      const { output: completion, refused, ago_ms } = await ask(input.name)
      if (refused !== undefined) return void say('error', `,"error":${JSON.stringify(refused)}`)
      const upstream = probe === true ? { upstream: { host, ago_ms } } : {}
      step('ask', {
        kind: 'llm_call',
        name: MODEL,
        input: { of: input.name },
        output: completion,
        ...upstream,
      })
      return void say('result', output)
    }
    case 'fail':
      return void say(
        'error',
        ',"error":{"code":"warehouse_down","message":"it answered 503","retryable":false}',
      )
    case 'degrade':
      return void say('result', `,"degraded":"half of it"${output}`)
    case 'hold':
      if (recorded.some(one => one.key === 'hold')) return void say('result', output)
      step('hold', { kind: 'step', input: { of: input.name }, output: null })
      return void say('hold', ',"reason":"a person must look"')
    case 'print':
      response.write('DEBUG loading the model...\n')
      return void say('result', output)
    case 'garble':
      return void say('result', ',"degraded":5,"output":NaN')
    case 'crash':
      await pause(20) // so that others of the request are under way
      return void response.socket?.destroy()
    case 'slow':
      await pause(slowMsOf(input.name))
      return void say('result', output)
    default:
      say('result', output)
  }
}

const server = createServer(async (request, response) => {
  response.on('error', () => {}) // the consumer was killed
  let body = ''
  for await (const text of request.setEncoding('utf8')) body += text
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const lines = body.split('\n').filter(line => line !== '')
  await Promise.all(lines.map(line => work(line, response)))
  response.end()
})
server.on('clientError', (_, socket) => socket.destroy())
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('message', async ({ leave }: { leave: number }) => {
  const { port } = server.address() as AddressInfo
  server.close()
  server.closeAllConnections()
  await pause(leave)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  process.send?.('back')
})
process.on('disconnect', () => process.exit(0))
process.on('uncaughtException', error => {
  if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error // a request was cut off
})
