// The model provider that the agents' steps call. Guarantee: it refuses everybody, nobody, or those beyond its limit, and
// answers well otherwise.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { COMPLETION } from './payloads.ts'

/** How it refuses, and in which words. */
const REFUSALS = {
  away: { status: 503, headers: {}, error: { message: 'The engine is overloaded', code: null } },
  'out of credit': {
    status: 429,
    headers: {},
    error: { message: 'You exceeded your current quota', code: 'insufficient_quota' },
  },
  limits: {
    status: 429,
    headers: { 'retry-after': '1' },
    /** Calls in a second that it serves all the same. */
    serves: 40,
    error: { message: 'Rate limit reached for requests', code: 'rate_limit_exceeded' },
  },
}
export type Refusal = keyof typeof REFUSALS

export interface Provider {
  /** Where calls are posted to. */
  url: string
  served: number
  refused: number
  /** Refuses all calls, or those beyond a limit, until the returned function is called. */
  refuse(how: Refusal): () => void
  close(): Promise<void>
}

const limitHeaders = (amount: number, left: number, reset_ms: number) => ({
  'x-ratelimit-limit-requests': String(amount),
  'x-ratelimit-remaining-requests': String(left),
  'x-ratelimit-reset-requests': `${reset_ms}ms`,
})

export async function startProvider(): Promise<Provider> {
  let refusal: Refusal | undefined
  const second = { at: 0, calls: 0 }
  const answer = (response: ServerResponse) => {
    const limit = refusal === 'limits' ? REFUSALS.limits.serves : undefined
    const now = Date.now()
    if (second.at !== Math.floor(now / 1000)) Object.assign(second, { at: Math.floor(now / 1000), calls: 0 })
    second.calls++
    if (refusal === undefined || (limit !== undefined && second.calls <= limit)) {
      provider.served++
      const limits = limit === undefined ? {} : limitHeaders(limit, limit - second.calls, 1000 - (now % 1000))
      response
        .writeHead(200, { 'content-type': 'application/json', ...limits })
        .end(JSON.stringify(COMPLETION))
      return
    }
    provider.refused++
    const { status, headers, error } = REFUSALS[refusal]
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error }))
  }
  const server = createServer((request, response) => {
    response.on('error', () => {}) // whoever called was killed
    request.on('error', () => {})
    request.resume().once('end', () => answer(response))
  })
  server.keepAliveTimeout = 60_000
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const provider: Provider = {
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    served: 0,
    refused: 0,
    refuse(how) {
      refusal = how
      return () => {
        refusal = undefined
      }
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return provider
}
