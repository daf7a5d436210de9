// What the suite acts on: a host with stores of its own, with two accounts and three projects in them.

import { expect } from 'vitest'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { bootstrapAccount, type FirstCredentials } from '../../shared/accounts/verbs/bootstrap.ts'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { createProject } from '../../shared/accounts/verbs/projects.ts'
import type { Context } from '../../shared/context.ts'
import { VERSION } from '../../shared/kernel/version.ts'
import { testDatabase, testRedis } from '../support/stores.ts'
import { Contract, type Document } from './contract.ts'
import type { StartHost } from './hosts.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are held against the document as they arrive
  json: any
}

export interface Call {
  /** Null sends no credentials; absent sends the first account's project key. */
  token?: string | null
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: BodyInit
  headers?: Record<string, string>
}

export interface World {
  url: string
  /** The `proxied` of its host. */
  proxied: boolean
  urls: { databaseUrl: string; redisUrl: string }
  ctx: Context
  contract: Contract
  first: FirstCredentials
  /** A second project of the first account, with its key. */
  sibling: { project_id: string; key: string }
  /** Another account's project, with its key. */
  stranger: { account_id: string; project_id: string; key: string }
  call(method: string, path: string, call?: Call): Promise<Answer>
  end(): Promise<void>
}

export const MASTER_KEY = 'ab'.repeat(32)

export async function openWorld(startHost: StartHost): Promise<World> {
  const parts = new AsyncDisposableStack()
  const database = parts.adopt(await testDatabase(), store => store.drop())
  const redis = parts.adopt(await testRedis(), store => store.drop())
  const urls = { databaseUrl: database.url, redisUrl: redis.url }
  const connections = parts.adopt(openConnections({ ...urls, pool: { sql: 2, db: 2 } }), c => c.close())
  const config = { base_url: 'http://assay.test', master_key: MASTER_KEY }
  const ctx = createContext({ connections, config })
  const first = await bootstrapAccount(ctx)
  const account_id = (await ctx.sql`select account_id from projects where id = ${first.project_id}`)[0]!
    .account_id
  const sibling = await makeProject(ctx, account_id, 'sibling')
  const stranger_id = ctx.newId()
  await ctx.sql`insert into accounts ${ctx.sql({ id: stranger_id, name: 'stranger' })}`
  const stranger = { account_id: stranger_id, ...(await makeProject(ctx, stranger_id, 'strange')) }
  const host = parts.adopt(await startHost({ ...urls, masterKey: MASTER_KEY }), host => host.close())
  const contract = new Contract((await (await fetch(`${host.url}/openapi.json`)).json()) as Document)

  async function call(
    method: string,
    path: string,
    { token, body, raw, headers }: Call = {},
  ): Promise<Answer> {
    const sent = new Headers(headers)
    const bearer = token === undefined ? first.api_key : token
    if (bearer !== null && !sent.has('authorization')) sent.set('authorization', `Bearer ${bearer}`)
    if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'application/json')
    const payload = raw ?? (body === undefined ? null : JSON.stringify(body))
    const response = await fetch(`${host.url}${path}`, {
      method,
      headers: sent,
      body: payload,
      ...(payload instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit)
    const type = response.headers.get('content-type')
    const text = type === 'text/event-stream' ? await firstEvent(response) : await response.text()
    contract.check(method, new URL(path, host.url).pathname, response.status, type, text)
    if (path !== '/openapi.json') {
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(response.headers.get('assay-version')).toBe(VERSION)
    }
    const json = type === 'application/json' && text !== '' ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, json }
  }
  return {
    url: host.url,
    proxied: host.proxied ?? false,
    urls,
    ctx,
    contract,
    first,
    sibling,
    stranger,
    call,
    end: () => parts.disposeAsync(),
  }
}

async function makeProject(ctx: Context, account_id: string, name: string) {
  const project = await createProject(ctx, { account_id, name })
  const { key } = await mintKey(ctx, project.id, name)
  return { project_id: project.id, key }
}

/** Reads up to the first event: the stream stays open as long as something happens. */
async function firstEvent(response: Response): Promise<string> {
  let text = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    if (/^data: .*\n/m.test(text)) break
  }
  return text
}
