// One process of Assay that several accounts share: as many attacking tenants as a test needs, and a neighbour whose
// items are measured. Guarantee: each tenant is an account of its own, so it reaches the neighbour by what is shared.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext, type NodeContext } from '../../../infra/node/context.ts'
import { openAccount } from '../../../shared/accounts/verbs/accounts.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { createProject } from '../../../shared/accounts/verbs/projects.ts'
import { startStack } from '../../support/stack.ts'
import type { Asked, Measured } from './neighbour-probe.ts'

const MASTER_KEY = '5a'.repeat(32)
const SAMPLES = Number(process.env.HOSTILE_SAMPLES ?? 100)
/** On a machine that serves twenty others, a process takes minutes to start. */
export const START_MS = 600_000

export interface Project {
  id: string
  account_id: string
  key: string
  /** Calls with its key. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** The same for calls that must succeed; returns JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at differs from answer to answer.
  call(path: string, body?: object): Promise<any>
  /** Aborts a run, unless it has ended by itself. */
  cancel(run_id: string): Promise<void>
  /** Deploys a new agent, and returns its id. */
  deploy(deployment: object): Promise<string>
}

export interface Shared {
  base_url: string
  ctx: NodeContext
  sql: NodeContext['sql']
  log: string[]
  /** The memory of the process, in bytes. */
  memory(): number
  /** A project of a new account. */
  tenant(): Promise<Project>
  /** Another project of the same account. */
  another(project: Project): Promise<Project>
  /** Measures this many single items of the neighbour, one after the other. */
  measure(samples?: number): Promise<Measured>
  close(): Promise<void>
}

/** @param env further settings of the process */
export async function startShared(env: Record<string, string> = {}): Promise<Shared> {
  const parts = new AsyncDisposableStack()
  const stack = parts.adopt(await startStack({ masterKey: MASTER_KEY, env }), one => one.close())
  const { base_url, databaseUrl } = stack
  const connections = openConnections({ databaseUrl, redisUrl: 'redis://127.0.0.1:1' }) // nothing is notified from here
  parts.defer(() => connections.close())
  const ctx = createContext({ connections, config: { base_url, master_key: MASTER_KEY } })
  let made = 0
  const tenant = async () => {
    const email = `tenant-${++made}@example.com`
    const { account, project_id } = await openAccount(ctx, { name: email, email })
    return projectOf(ctx, base_url, account.id, project_id)
  }
  const probe = await startProbe(base_url, databaseUrl, await tenant(), parts)
  return {
    base_url,
    ctx,
    sql: ctx.sql,
    log: stack.log,
    memory: () => memoryOf(stack.pid),
    tenant,
    async another({ account_id }) {
      const project = await createProject(ctx, { account_id, name: `project ${++made}` })
      return projectOf(ctx, base_url, account_id, project.id)
    },
    measure: (samples = SAMPLES) => probe(samples),
    close: () => parts.disposeAsync(),
  }
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)![1])
}

async function projectOf(
  ctx: NodeContext,
  base_url: string,
  account_id: string,
  id: string,
): Promise<Project> {
  const { key } = await mintKey(ctx, id, 'neighbours')
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers }
    return fetch(`${base_url}${path}`, { ...init, headers })
  }
  const project: Project = {
    id,
    account_id,
    key,
    ask,
    async call(path, body) {
      const answer = await ask(path, body && { method: 'POST', body: JSON.stringify(body) })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
    async cancel(run_id) {
      const init = { method: 'POST', body: '{"in_flight":"abort"}' }
      const answer = await ask(`/v2/runs/${run_id}/cancel`, init)
      if (!answer.ok && answer.status !== 409)
        throw new Error(`cancelling was answered ${await answer.text()}`)
    },
    async deploy(deployment) {
      const slug = `agent-${ctx.newId()}`
      const { id: agent_id } = await project.call('/v1/agents', { project_id: id, name: slug, slug })
      await project.call(`/v1/agents/${agent_id}/deployments`, deployment)
      return agent_id
    },
  }
  return project
}

export const behindUrl = (url: string, more: object = {}, protocol = 'ndjson') => ({
  kind: 'url',
  url,
  protocol,
  declaration: { name: 'behind a URL', ...more },
})

async function startProbe(
  base_url: string,
  databaseUrl: string,
  project: Project,
  parts: AsyncDisposableStack,
) {
  const child = fork(join(import.meta.dirname, 'neighbour-probe.ts'), {
    env: { ...process.env, BASE_URL: base_url, API_KEY: project.key, DATABASE_URL: databaseUrl },
    execArgv: [],
  })
  parts.defer(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  const heard = async () => (await once(child, 'message'))[0]
  const { port } = await heard()
  const agent_id = await project.deploy(behindUrl(`http://127.0.0.1:${port}/`))
  return async (samples: number): Promise<Measured> => {
    child.send({ agent_id, samples } satisfies Asked)
    const { measured, error } = await heard()
    if (error !== undefined) throw new Error(error)
    return measured
  }
}

/** The figure below which `p` of a hundred lie. */
function percentile(figures: readonly number[], p: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))]!
}

/** Prints how long one item and `/health` took. */
export function printMeasured(what: string, { items, health }: Measured): void {
  const of = (figures: number[]) =>
    [50, 95, 99].map(p => `p${p} ${percentile(figures, p).toFixed(0)}`).join(', ')
  console.log(`${what}: one item ${of(items)} ms; /health ${of(health)} ms; of ${items.length}`)
}

/**
 * The goal is 250 ms at p99, on a machine that does nothing else: that figure is printed. The asserted bounds hold on
 * one whose processors twenty others wait for as well; without limits, the neighbour waited for 7 to 47 s.
 */
const DISTURBED_MS = { p50: 1000, p99: 5000 }

export function expectUndisturbed({ items, health }: Measured): void {
  for (const figures of [items, health]) {
    expect(percentile(figures, 50)).toBeLessThan(DISTURBED_MS.p50)
    expect(percentile(figures, 99)).toBeLessThan(DISTURBED_MS.p99)
  }
}

/** A host, at every address of loopback, that takes whatever is sent and answers nothing until it is closed. */
export interface HangingHost {
  url: string
  /** How many requests it got. */
  requests(): number
  /** How many of their senders still wait. */
  open(): number
  close(): Promise<void>
}

export async function hangingHost(): Promise<HangingHost> {
  let requests = 0
  const open = new Set<ServerResponse>()
  const server = createServer((_, response) => {
    requests++
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    open: () => open.size,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Listens and counts connections. */
export interface Listener {
  port: number
  connections(): number
  close(): Promise<void>
}

export async function listenAt(host: string, port = 0): Promise<Listener> {
  let connections = 0
  const server = createTcpServer(socket => {
    connections++
    socket.on('error', () => {}).resume()
    socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
