// Tests how a consumer sends bundles' code to the runtime function, over HTTP, with fake agents.

import { afterEach, expect, it } from 'vitest'
import type { AgentResponse, AgentTarget } from '../../shared/agents/rules/invoke-agent.ts'
import { sha256, toHex } from '../../shared/kernel/secrets.ts'
import { CarriedBundles } from './carried-bundles.ts'
import { createRuntimeClient } from './runtime-client.ts'
import { serveRuntime } from './runtime-server.ts'

const CODE = 'export default {} // é "'
const HASH = toHex(await sha256(CODE))
const target: AgentTarget = {
  account_id: null,
  agent_id: 'a',
  deployment_id: 'd',
  kind: 'bundle',
  protocol: 'ndjson',
  url: null,
  bundle_hash: HASH,
  declaration: { name: 'test' },
  env: {},
  together: null,
}

let parts = new AsyncDisposableStack()
afterEach(async () => {
  await parts.disposeAsync()
  parts = new AsyncDisposableStack()
})

async function* body() {
  yield Buffer.from('{}\n')
}
const answer = (): AgentResponse => ({ status: 200, contentType: 'text/plain', body: body() })

/** A runtime that starts one process, as an invoker does, and a consumer that counts how often it reads the code. */
async function hop(given = CODE, onStart = async () => {}) {
  const bundles = new CarriedBundles()
  const seen = { read: 0, asked: 0, started: [] as string[] }
  let process: Promise<void> | undefined
  const server = await serveRuntime({
    port: 0,
    host: '127.0.0.1',
    bearer: 'b',
    load: () => Promise.reject(new Error('no bundle is loaded')),
    bundles,
    async invoke() {
      seen.asked++
      process ??= bundles.load(HASH).then(async code => {
        await onStart()
        seen.started.push(code)
      })
      await process.catch(error => {
        process = undefined
        throw error
      })
      return answer()
    },
  })
  parts.defer(() => server.close())
  const client = createRuntimeClient({
    url: server.url,
    bearer: async () => 'b',
    async loadBundle() {
      seen.read++
      return given
    },
  })
  parts.defer(() => client.close())
  const send = async (signal = new AbortController().signal) => {
    const { status, body } = await client.invoke(target, { headers: {}, body: '{}\n', signal })
    for await (const _ of body);
    return status
  }
  return { send, seen, bundles }
}

it('the code is sent only when the runtime asks for it, and not while the process is running', async () => {
  const { send, seen, bundles } = await hop()
  expect([await send(), await send()]).toEqual([200, 200])
  expect(seen).toEqual({ read: 1, asked: 3, started: [CODE] })
  expect(bundles.size).toBe(0)
})

it('of many requests that find no process one sends the code, and the others wait', async () => {
  const { send, seen, bundles } = await hop()
  expect(new Set(await Promise.all(Array.from({ length: 20 }, () => send())))).toEqual(new Set([200]))
  expect(seen.read).toBe(1)
  expect(seen.started).toEqual([CODE])
  expect(bundles.size).toBe(0)
})

it('if the process dies at start, only one of the waiting requests sends the code again', async () => {
  let starts = 0
  const { send, seen } = await hop(CODE, async () => {
    if (++starts === 1) throw new Error('died')
  })
  const sent = await Promise.allSettled(Array.from({ length: 20 }, () => send()))
  expect(sent.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(seen.read).toBe(2)
})

it('a request that waits for another one to send the code can be aborted', async () => {
  const gate = Promise.withResolvers<void>()
  const starting = Promise.withResolvers<void>()
  const { send } = await hop(CODE, () => {
    starting.resolve()
    return gate.promise
  })
  const first = send()
  await starting.promise
  const consumer = new AbortController()
  const second = send(consumer.signal)
  consumer.abort(new Error('lease lost'))
  await expect(second).rejects.toThrow()
  gate.resolve()
  expect(await first).toBe(200)
})

it('code that does not match its hash is not run', async () => {
  const { send, seen, bundles } = await hop('export default { other: 1 }')
  await expect(send()).rejects.toThrow(`the code that was brought is not bundle ${HASH}`)
  expect(seen.started).toEqual([])
  expect(bundles.size).toBe(0)
})
