// The HTTP server that the agent's steps call. It records every call, counts how many were open at once, and can hold
// calls back until the test releases them.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startWaiting } from '../../support/waiting.ts'

export interface Call {
  run: string
  item: string
  step: string
  attempt: number
  at: number
}

export interface Probe {
  url: string
  /** As a deployment's declaration names it. */
  host: string
  calls: Call[]
  /** The most calls of a run that were open at the same time. */
  peak(run: string): number
  /** Keeps the calls that match from being answered until the returned function is called. */
  hold(matches: (call: Call) => boolean): () => void
  /** Makes every call take this long. */
  slow_ms: number
  /** Resolves when the calls, including earlier ones, meet the condition. */
  until(condition: (calls: readonly Call[]) => boolean): Promise<void>
  close(): Promise<void>
}

/** What a model answers: 1000 and 100 tokens at the list price of gpt-4o. */
const COMPLETION = {
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
}

export async function startProbe(): Promise<Probe> {
  const calls: Call[] = []
  const open = new Map<string, { now: number; peak: number }>()
  const holds = new Map<(call: Call) => boolean, (() => void)[]>()
  const waiting = startWaiting()

  function answer(call: Call, response: ServerResponse): void {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(call.step === 'price' ? COMPLETION : { step: call.step }))
  }

  const server = createServer((request, response) => {
    const query = new URL(request.url!, 'http://probe').searchParams
    const get = (name: string) => query.get(name) ?? ''
    const call = {
      run: get('run'),
      item: get('item'),
      step: get('step'),
      attempt: Number(get('attempt')),
      at: performance.now(),
    }
    calls.push(call)
    const level = open.get(call.run) ?? { now: 0, peak: 0 }
    open.set(call.run, level)
    level.peak = Math.max(level.peak, ++level.now)
    let counted = true
    const leave = () => {
      if (counted) level.now--
      counted = false
    }
    response.once('close', leave)
    const go = () => {
      leave() // before the answer: the agent's next call may arrive before this connection is done
      answer(call, response)
    }
    const held = [...holds].find(([matches]) => matches(call))
    if (held) held[1].push(go)
    else if (probe.slow_ms > 0) setTimeout(go, probe.slow_ms)
    else go()
    waiting.look()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const probe: Probe = {
    slow_ms: 0,
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    calls,
    peak: run => open.get(run)?.peak ?? 0,
    hold(matches) {
      const queue: (() => void)[] = []
      holds.set(matches, queue)
      return () => {
        holds.delete(matches)
        for (const go of queue) go()
      }
    },
    until: condition => waiting.until(() => condition(calls)),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return probe
}
