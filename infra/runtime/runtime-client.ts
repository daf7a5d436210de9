// Invokes bundles through the runtime function. Guarantee: a request behaves like one to a process on this machine,
// including aborts and the death of the agent's process; a bundle's code is sent if the runtime requests it; the death
// of the runtime itself is a transport error.

import {
  type BundleLoad,
  type BundleToLoad,
  type LoadBundle,
  LoadsBusy,
} from '../../shared/agents/rules/bundle-load.ts'
import type {
  AgentRequest,
  AgentResponse,
  AgentTarget,
  InvokeAgent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { NDJSON } from '../../shared/protocol/rules/protocol.ts'
import { AgentSockets } from './agent-sockets.ts'
import { BUNDLE_WANTED, HOP_HEADERS, type HopRequest, LOAD_PATH, LOADS_BUSY, withoutEnd } from './hop.ts'
import { type HttpAnswer, send } from './http-client.ts'

export interface RuntimeClient {
  invoke: InvokeAgent
  load: LoadBundle
  close(): void
}

export interface RuntimeAt {
  url: string
  bearer(): Promise<string>
  /** Loads the code of a bundle by its hash. */
  loadBundle(hash: string): Promise<string>
}

export function createRuntimeClient(at: RuntimeAt): RuntimeClient {
  const url = new URL(at.url)
  const sockets = new AgentSockets({ secure: url.protocol === 'https:' })
  // Includes the start of the process, which the runtime may have to do first.
  const endpoint = { to: sockets.at(url), head_ms: LIMITS.agent_start_ms + LIMITS.agent_head_ms }
  /** Requests in flight that send a bundle's code, by its hash. */
  const bringing = new Map<string, Promise<unknown>>()

  async function ask(target: AgentTarget, request: AgentRequest, code?: string): Promise<HttpAnswer> {
    const items = request.itemsOpen?.() ?? 1
    const hop: HopRequest = { target, headers: request.headers, items, ...(code !== undefined && { code }) }
    const headers = {
      authorization: `Bearer ${await at.bearer()}`,
      'content-type': NDJSON,
      accept: NDJSON, // asks the watchdog of OpenFaaS not to buffer the answer
    }
    const body = `${JSON.stringify(hop)}\n${request.body}`
    return send(endpoint, { headers, body, signal: request.signal })
  }

  /**
   * One request sends the code; others that found no process retry once it has been answered. If that process did not
   * survive, the next request sends the code: a bundle that dies at its start has at most one copy in flight.
   */
  async function bring(hash: string, target: AgentTarget, request: AgentRequest): Promise<HttpAnswer> {
    for (let other = bringing.get(hash); other !== undefined; other = bringing.get(hash)) {
      await Promise.race([other, aborted(request.signal)])
      const answer = await ask(target, request)
      if (!(await isWanted(answer))) return answer
    }
    const answer = at.loadBundle(hash).then(code => ask(target, request, code))
    const over: Promise<void> = answer
      .catch(() => {})
      .then(() => {
        if (bringing.get(hash) === over) bringing.delete(hash)
      })
    bringing.set(hash, over)
    return answer
  }

  return {
    async invoke(target, request) {
      let answer = await ask(target, request)
      if (target.bundle_hash !== null && (await isWanted(answer)))
        answer = await bring(target.bundle_hash, target, request)
      request.onSent?.() // the runtime answers when it has a process, and the agent is about to start
      return unwrapped(answer)
    },
    load: bundle => loadThere(at, sockets, bundle),
    close: () => sockets.destroy(),
  }
}

async function loadThere(at: RuntimeAt, sockets: AgentSockets, bundle: BundleToLoad): Promise<BundleLoad> {
  const headers = { authorization: `Bearer ${await at.bearer()}`, 'content-type': 'application/json' }
  const to = sockets.at(new URL(LOAD_PATH, at.url))
  const signal = AbortSignal.timeout(LIMITS.agent_start_ms)
  const answer = await send(
    { to, head_ms: LIMITS.agent_start_ms },
    { headers, body: JSON.stringify(bundle), signal },
  )
  const text = await textOf(answer)
  if (answer.status === LOADS_BUSY) throw new LoadsBusy('the agent runtime loads other bundles')
  if (answer.status !== 200) throw new Error(`the agent runtime answered ${answer.status}`)
  return JSON.parse(text) as BundleLoad
}

async function textOf({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Whether the runtime requests the code; reads its answer to the end in that case. */
async function isWanted({ status, body }: HttpAnswer): Promise<boolean> {
  if (status !== BUNDLE_WANTED) return false
  for await (const _ of body); // so that the connection can be reused
  return true
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function unwrapped({ status, headers, body }: HttpAnswer): Promise<AgentResponse> {
  const end = headers[HOP_HEADERS.end]
  if (status !== 200 || typeof end !== 'string') {
    for await (const _ of body) break
    throw new Error(`the agent runtime answered ${status}`)
  }
  const chunks = withoutEnd(body, end)
  const agentStatus = headers[HOP_HEADERS.status]
  if (agentStatus === undefined) {
    await chunks.next() // throws the reported error
    throw new Error('the agent runtime had no answer and no reason')
  }
  const contentType = decodeURIComponent(String(headers[HOP_HEADERS.type] ?? ''))
  return { status: Number(agentStatus), contentType, body: chunks }
}
