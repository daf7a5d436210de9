// Reaches bundles through the runtime function. Guarantee: a request behaves as one to a process of this machine, its
// abort and the death of the agent's process included; when the runtime itself dies, that is a fault of transport.

import { LIMITS } from '../../shared/domain/limits.ts'
import { NDJSON } from '../../shared/domain/protocol.ts'
import type { AgentResponse, InvokeAgent } from '../../shared/engine/agent-port.ts'
import { AgentSockets } from './agent-sockets.ts'
import { HOP_HEADERS, type HopRequest, withoutEnd } from './hop.ts'
import { type HttpAnswer, send } from './http-client.ts'

export interface RuntimeClient {
  invoke: InvokeAgent
  close(): void
}

export function createRuntimeClient(at: { url: string; bearer(): Promise<string> }): RuntimeClient {
  const url = new URL(at.url)
  const sockets = new AgentSockets({ secure: url.protocol === 'https:' })
  // The runtime may have to start the process first.
  const endpoint = { to: sockets.at(url), head_ms: LIMITS.agent_start_ms + LIMITS.agent_head_ms }

  return {
    async invoke(target, request) {
      const hop: HopRequest = { target, headers: request.headers }
      const headers = {
        authorization: `Bearer ${await at.bearer()}`,
        'content-type': NDJSON,
        accept: NDJSON, // by which the watchdog of OpenFaaS knows that it must not collect the answer
      }
      const body = `${JSON.stringify(hop)}\n${request.body}`
      return unwrapped(await send(endpoint, { headers, body, signal: request.signal }))
    },
    close: () => sockets.destroy(),
  }
}

async function unwrapped({ status, headers, body }: HttpAnswer): Promise<AgentResponse> {
  const end = headers[HOP_HEADERS.end]
  if (status !== 200 || typeof end !== 'string') {
    for await (const _ of body) break
    throw new Error(`the agent runtime answered ${status}`)
  }
  const chunks = withoutEnd(body, end)
  const agentStatus = headers[HOP_HEADERS.status]
  if (agentStatus === undefined) {
    await chunks.next() // throws what it says
    throw new Error('the agent runtime had no answer and no reason')
  }
  const contentType = decodeURIComponent(String(headers[HOP_HEADERS.type] ?? ''))
  return { status: Number(agentStatus), contentType, body: chunks }
}
