// A double of model providers that bills every answer, and keeps a ledger of them. Run as a program it listens at a free port,
// and sends its address to the process that started it. `GET /ledger` has a line for each call.
//
// Of one call in forty the first answer is an error, which costs nothing; of some others it is stopped by a filter, cut at a
// limit, or half a word, which cost what they took.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chargeOf, type Tokens } from './tariffs.ts'

export interface BilledCall {
  id: number
  /** Of which item and step, as the prompt names them. */
  of: string
  micro: number
  /** Milliseconds since 1970. */
  began: number
  ended: number
  /** The last byte was written before the caller closed the connection. */
  is_whole: boolean
}

/** As fast as the fastest models. */
const LATENCY_MS = { least: 150, spread: 200 }
/** Some answers are slow, so that calls are under way whenever a process is killed. */
const SLOW = { every: 20, ms: 1500 }

const calls: BilledCall[] = []
const asked = new Map<string, number>()

/** A number that depends on the text alone, from 0 to `below`. */
function drawn(text: string, below: number): number {
  return createHash('sha1').update(text).digest().readUInt32BE(0) % below
}

type Fate = 'error' | 'content_filter' | 'length' | 'half' | 'stop'

/** What comes of the first call of a step; later ones are good. */
function fateOf(of: string, nth: number): Fate {
  if (nth > 0) return 'stop'
  const draw = drawn(`fate ${of}`, 200)
  if (draw < 5) return 'error'
  if (draw < 9) return 'content_filter'
  if (draw < 13) return 'length'
  return draw < 18 ? 'half' : 'stop'
}

function tokensOf(seed: string): Tokens {
  const input = 20 + drawn(`input ${seed}`, 4000)
  const output = 1 + drawn(`output ${seed}`, 700)
  return {
    input,
    cached: drawn(`cached ${seed}`, 2) * drawn(`read ${seed}`, input),
    output,
    thinking: drawn(`thinks ${seed}`, 2) * drawn(`thinking ${seed}`, output),
  }
}

const TEXTS = { content_filter: '', length: '{"label":"bil', half: '{"label":', stop: '{"label":"billing"}' }

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/ledger') {
    response.end(calls.map(call => `${JSON.stringify(call)}\n`).join(''))
    return
  }
  const began = Date.now()
  // A caller may leave before its answer is made.
  const closed = new Promise<number>(resolve => response.once('close', () => resolve(Date.now())))
  const body = await bodyOf(request)
  const of = /\bitem-\d+ [a-z]+/.exec(body)?.[0]
  if (of === undefined) throw new Error('the prompt names no item')
  const { model, stream = false } = JSON.parse(body) as { model: string; stream?: boolean }
  const nth = asked.get(of) ?? 0
  asked.set(of, nth + 1)
  const seed = `${of} ${nth}`
  const fate = fateOf(of, nth)
  await pause(
    drawn(`slow ${seed}`, SLOW.every) === 0
      ? SLOW.ms
      : LATENCY_MS.least + drawn(`ms ${seed}`, LATENCY_MS.spread),
  )
  if (fate === 'error') {
    response.writeHead(500, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"The server had an error","type":"server_error"}}')
    return
  }
  const { micro, usage } = chargeOf(model, tokensOf(seed))
  const call: BilledCall = { id: calls.length, of, micro, began, ended: 0, is_whole: false }
  calls.push(call)
  void closed.then(at => {
    call.ended = at
    call.is_whole = response.writableFinished
  })
  const finish_reason = fate === 'half' ? 'stop' : fate
  const content = `${TEXTS[fate]} call-${call.id};`
  const whole = { id: `gen-${call.id}`, created: 1, model, ...(model.includes('/') && { provider: 'Lab' }) }
  if (stream) await sayInPieces(response, whole, { content, finish_reason, usage })
  else sayAtOnce(response, whole, { content, finish_reason, usage })
}

interface Said {
  content: string
  finish_reason: string
  usage: object
}

function sayAtOnce(response: ServerResponse, whole: object, { content, finish_reason, usage }: Said): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const message = { role: 'assistant', content }
  const choices = [{ index: 0, message, finish_reason }]
  response.end(JSON.stringify({ ...whole, object: 'chat.completion', choices, usage }))
}

const BETWEEN_PIECES_MS = 2

async function sayInPieces(response: ServerResponse, whole: object, said: Said): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (more: object) =>
    response.write(`data: ${JSON.stringify({ ...whole, object: 'chat.completion.chunk', ...more })}\n\n`)
  const middle = said.content.indexOf(' call')
  for (const content of [said.content.slice(0, middle), said.content.slice(middle)]) {
    say({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
    await pause(BETWEEN_PIECES_MS)
  }
  say({ choices: [{ index: 0, delta: {}, finish_reason: said.finish_reason }] })
  say({ choices: [], usage: said.usage })
  response.end('data: [DONE]\n\n')
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const server = createServer((request, response) => {
  // A caller that is killed while it sends ends its request.
  void answer(request, response).catch(error => response.destroy(error as Error))
})
Object.assign(server, { requestTimeout: 0, timeout: 0, keepAliveTimeout: 60_000 })
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)
process.on('disconnect', () => process.exit(0))
