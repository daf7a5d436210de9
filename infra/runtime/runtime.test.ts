// Tests the hop between a consumer and the runtime function, over HTTP, with fake agents.

import { afterEach, describe, expect, it } from 'vitest'
import {
  AgentProcessDied,
  type AgentResponse,
  type AgentTarget,
  type InvokeAgent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { withEnd, withoutEnd } from './hop.ts'
import { createRuntimeClient } from './runtime-client.ts'
import { serveRuntime } from './runtime-server.ts'

const target: AgentTarget = {
  account_id: 'c',
  agent_id: 'a',
  deployment_id: 'd',
  kind: 'bundle',
  protocol: 'ndjson',
  url: null,
  bundle_hash: 'h',
  declaration: { name: 'é' },
  env: { TOKEN: 'secret' },
  together: 1,
}

let parts = new AsyncDisposableStack()
afterEach(async () => {
  await parts.disposeAsync()
  parts = new AsyncDisposableStack()
})

const noLoad = () => Promise.reject(new Error('no bundle is loaded'))

/** A consumer's client of a runtime with fake agents. */
async function hop(invoke: InvokeAgent, bearer = 'right') {
  const server = await serveRuntime({ port: 0, host: '127.0.0.1', bearer: 'right', invoke, load: noLoad })
  parts.defer(() => server.close())
  const client = createRuntimeClient({
    url: server.url,
    bearer: async () => bearer,
    loadBundle: () => Promise.reject(new Error('no code is asked for')),
  })
  parts.defer(() => client.close())
  return (signal = new AbortController().signal) =>
    client.invoke(target, {
      headers: { 'assay-run': 'r' },
      body: '{"seq":1}\n{"seq":2}\n',
      signal,
      itemsOpen: () => 2,
    })
}

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

const textOf = async (body: AsyncIterable<Uint8Array>) => {
  let text = ''
  for await (const chunk of body) text += Buffer.from(chunk).toString('latin1')
  return text
}

const answer = (body: AsyncIterable<Uint8Array>): AgentResponse => ({
  status: 207,
  contentType: 'text/é',
  body,
})

describe('a request through the runtime function', () => {
  it('reaches the agent unchanged, and so does the answer the consumer', async () => {
    let seen: unknown
    const send = await hop(async (given, { headers, body, itemsOpen }) => {
      seen = { given, headers, body, items: itemsOpen!() }
      return answer(chunks('{"a":1}\n', 'no newline at the end'))
    })
    const { status, contentType, body } = await send()
    expect({ status, contentType }).toEqual({ status: 207, contentType: 'text/é' })
    expect(await textOf(body)).toBe('{"a":1}\nno newline at the end\n')
    expect(seen).toEqual({
      given: target,
      headers: { 'assay-run': 'r' },
      body: '{"seq":1}\n{"seq":2}\n',
      items: 2,
    })
  })

  it('is answered line by line while the agent works', async () => {
    const gate = Promise.withResolvers<void>()
    const send = await hop(async () =>
      answer(
        (async function* () {
          yield Buffer.from('first\n')
          await gate.promise
          yield Buffer.from('second\n')
        })(),
      ),
    )
    const lines = (await send()).body[Symbol.asyncIterator]()
    expect(String((await lines.next()).value)).toBe('first\n')
    gate.resolve()
    expect(String((await lines.next()).value)).toBe('second\n')
    expect((await lines.next()).done).toBe(true)
  })

  const died = new AgentProcessDied('agent_unresponsive', 'was killed: it looped\nand said "é"', 8)

  it('fails with AgentProcessDied when the agent’s process dies, before or during the answer', async () => {
    const early = await hop(() => Promise.reject(died))
    await expect(early()).rejects.toEqual(died)
    await expect(early()).rejects.toBeInstanceOf(AgentProcessDied)
    await expect(early()).rejects.toMatchObject({ items: 8 })
    const late = await hop(async () =>
      answer(
        (async function* () {
          yield Buffer.from('{"a":1}\n{"b"')
          throw died
        })(),
      ),
    )
    const { body } = await late()
    await expect(textOf(body)).rejects.toEqual(died)
  })

  it('fails with a plain error for any other failure, and when the answer is cut off', async () => {
    const send = await hop(() => Promise.reject(new Error('no such bundle')))
    const error = await send().catch(error => error)
    expect(error).not.toBeInstanceOf(AgentProcessDied)
    expect(error.message).toBe('no such bundle')
    await expect(textOf(withoutEnd(chunks('a\n', 'b\n'), 'WORD'))).rejects.toThrow('ended before')
  })

  it('aborts the agent when the consumer aborts, before or during the answer', async () => {
    for (const head of [false, true]) {
      const aborted = Promise.withResolvers<void>()
      const started = Promise.withResolvers<void>()
      const send = await hop(async (_, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve())
        started.resolve()
        const over = new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        )
        if (!head) return over
        return answer(
          (async function* () {
            yield Buffer.from('a\n')
            await over
          })(),
        )
      })
      const consumer = new AbortController()
      const sent = send(consumer.signal).then(response => textOf(response.body))
      await started.promise
      consumer.abort(new Error('lease lost'))
      await expect(sent).rejects.toThrow('lease lost')
      await aborted.promise
    }
  })

  it('is refused without the right bearer token', async () => {
    let ran = 0
    const send = await hop(async () => {
      ran++
      return answer(chunks())
    }, 'wrong')
    await expect(send()).rejects.toThrow('answered 401')
    expect(ran).toBe(0)
  })
})

it('the last line is recognised however the bytes are split, and no other line is taken for it', async () => {
  const texts = ['WOR\nWORK\n', '', 'x', 'WORD in a line\n', '\n\n', 'WO']
  let sent = Buffer.alloc(0)
  for await (const chunk of withEnd(chunks(...texts), 'WORD#')) sent = Buffer.concat([sent, chunk])
  const agents = `${texts.join('')}\n`
  for (let size = 1; size <= sent.length; size++) {
    const pieces = Array.from({ length: Math.ceil(sent.length / size) }, (_, n) =>
      sent.subarray(n * size, (n + 1) * size).toString('latin1'),
    )
    expect(await textOf(withoutEnd(chunks(...pieces), 'WORD#'))).toBe(agents)
  }
})
