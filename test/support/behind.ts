// Serves Assay behind a proxy with the production listener, and calls that proxy from an address other than the
// proxy's.

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { serveDashboard } from '../../functions/dashboard/index.ts'
import { endpoints } from '../../functions/index.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { addressOf, listen } from '../../infra/node/listen.ts'
import { createOutside } from '../../infra/node/reach.ts'
import { createApp } from '../../shared/http/app.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'
import { serveReference } from '../../shared/openapi/reference.ts'
import type { Host, HostOptions } from '../conformance/hosts.ts'
import { NAME, type RunningProxy } from './proxies.ts'

/** The caller's own address: not the proxy's, which is 127.0.0.1. */
export const CALLER = '127.0.0.2'

export interface Behind extends Host {
  port: number
  /** Address and `host` header of each request, in order. */
  callers: { address: string | null; host: string | null }[]
}

/** Starts it with its public URL, and with this machine as a trusted proxy. */
export async function startBehind(options: HostOptions, base_url: string): Promise<Behind> {
  const connections = openConnections(options)
  const config = { base_url, master_key: options.masterKey }
  const reach = createOutside(['127.0.0.0/8'])
  const ctx = createContext({ connections, config, addressOf, ...reach, writeLog: () => {} })
  const app = createApp(endpoints, () => ctx)
  serveReference(
    app,
    () => openApiDocument(endpoints),
    () => ctx,
  )
  serveDashboard(app, endpoints, () => ctx)
  const callers: Behind['callers'] = []
  const listener = await listen({ port: 0, host: '127.0.0.1', proxies: ['127.0.0.1/32'] }, request => {
    callers.push({ address: addressOf(request), host: request.headers.get('host') })
    return app.fetch(request)
  })
  return {
    port: listener.port,
    url: listener.url,
    callers,
    async close() {
      await listener.close()
      await ctx.idle()
      await connections.close()
    },
  }
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  /** Written piece by piece. */
  body?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A request from CALLER's address to the host of the proxy's files; resolves with the head of the response. */
export async function ask(
  { port, ca }: RunningProxy,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<IncomingMessage> {
  const asked = request({
    host: '127.0.0.1',
    port,
    ca,
    servername: NAME,
    localAddress: CALLER,
    agent: false,
    path,
    method,
    headers: { host: NAME, ...headers },
  })
  const answered = once(asked, 'response')
  answered.catch(() => {}) // awaited below
  for await (const piece of body ?? []) if (!asked.write(piece)) await once(asked, 'drain')
  asked.end()
  const [answer] = await answered
  return answer
}

export async function textOf(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of answer) text += decoder.decode(part, { stream: true })
  return text
}
