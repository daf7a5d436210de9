// The items of one deployment in several processes of workerd.

import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createInvoker, type Invoker, type InvokerOptions } from '../../../infra/runtime/invoker.ts'
import { type AgentTarget, NotSent } from '../../../shared/agents/rules/invoke-agent.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { conservation, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

/** Each item calls the model once, whose answer ends it. */
const AGENT = `
export default {
  async fetch(request) {
    const items = (await request.text()).trim().split('\\n').map(line => JSON.parse(line))
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    const write = line => writer.write(new TextEncoder().encode(JSON.stringify(line) + '\\n'))
    const run = async ({ seq, attempt, input }) => {
      const output = await (await fetch(input.url)).text()
      await write({ type: 'result', seq, attempt, output })
    }
    write({ type: 'heartbeat' })
    setTimeout(() => Promise.all(items.map(run)).then(() => writer.close()), 0)
    return new Response(readable, { headers: { 'content-type': 'application/x-ndjson' } })
  },
}
`

/** A model that holds each call until the test lets it end, and counts the calls of each item. */
async function startModel() {
  const calls = new Map<string, number>()
  const held = new Map<string, ServerResponse[]>()
  const server = http.createServer(({ url }, response) => {
    calls.set(url!, (calls.get(url!) ?? 0) + 1)
    held.set(url!, [...(held.get(url!) ?? []), response])
    response.once('close', () => held.delete(url!))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    urlOf: (item: string) => `http://127.0.0.1:${port}/${item}`,
    calls,
    held,
    answer(item?: string) {
      for (const [url, responses] of held)
        if (item === undefined || url === `/${item}`) for (const one of responses) one.end('answered')
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

let folder: TempFolder
let model: Awaited<ReturnType<typeof startModel>>
let invoker: Invoker
beforeEach(async () => {
  folder = await tempFolder()
  model = await startModel()
})
afterEach(async () => {
  await invoker.close()
  model.close()
  await folder.remove()
})

function open(options: Partial<InvokerOptions>): Invoker {
  const loadBundle = async () => AGENT
  const allowPrivateNetworks = ['127.0.0.0/8']
  invoker = createInvoker({ loadBundle, dataDir: folder.path, allowPrivateNetworks, ...options })
  return invoker
}

/** Sends one request with these items; resolves with their lines when all have ended. */
const send = (...items: string[]) => sendTo(null, ...items)

async function sendTo(together: number | null, ...items: string[]): Promise<string[]> {
  const target: AgentTarget = {
    account_id: 'account',
    agent_id: 'agent',
    deployment_id: 'deployment',
    kind: 'bundle',
    protocol: 'ndjson',
    url: null,
    bundle_hash: 'hash',
    declaration: { name: 'test', network: [model.host] },
    env: {},
    together,
  }
  const lines = items.map((item, seq) => `${JSON.stringify({ seq, input: { url: model.urlOf(item) } })}\n`)
  const request = { headers: {}, body: lines.join(''), signal: new AbortController().signal }
  const response = await invoker.invoke(target, { ...request, itemsOpen: () => items.length })
  let text = ''
  for await (const chunk of response.body) text += Buffer.from(chunk)
  return text.split('\n').filter(line => line.includes('result'))
}

const called = (...items: string[]) =>
  eventually(() => expect([...model.held.keys()].sort()).toEqual(items.map(item => `/${item}`)))
const inFlight = () => invoker.processes().map(({ in_flight }) => in_flight)

it('a request for which the disk has no room to start a process is not sent, and is when there is room', async context => {
  const disk = await smallDisk(1)
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  try {
    open({ dataDir: disk.path })
    await disk.fill()
    await expect(send('a')).rejects.toBeInstanceOf(NotSent)
    await disk.empty()
    const sent = send('a')
    await called('a')
    model.answer()
    expect(await sent).toHaveLength(1)
  } finally {
    await invoker.close()
    await disk.remove()
  }
})

it('items beyond the bound of a process go to a second one, and later items to the fullest with room', async () => {
  open({ processItems: 4 })
  const requests = [send('a', 'b', 'c'), send('d', 'e')]
  await called('a', 'b', 'c', 'd', 'e')
  expect(inFlight()).toEqual([3, 2])
  requests.push(send('f'))
  await called('a', 'b', 'c', 'd', 'e', 'f')
  expect(inFlight()).toEqual([4, 2])
  model.answer()
  expect((await Promise.all(requests)).map(lines => lines.length)).toEqual([3, 2, 1])
  expect(inFlight()).toEqual([0, 0])
})

it('a spare process ends when it has been idle for its time, while another works', async () => {
  let now = 0
  open({ processItems: 1, now: () => now })
  const requests = [send('a'), send('b')]
  await called('a', 'b')
  const [first] = invoker.processes()
  model.answer()
  await Promise.all(requests)
  const busy = send('c')
  await called('c')
  now += LIMITS.agent_idle_ms
  await eventually(() => expect(invoker.processes().map(({ pid }) => pid)).toEqual([first!.pid]))
  model.answer()
  await busy
})

it('where there is no room for another process, one takes half as many more, and others wait for a place in it', async () => {
  open({ processItems: 2, bounds: { size: 1, share: 1 } })
  const requests = [send('a'), send('b'), send('c'), send('d')]
  await called('a', 'b', 'c')
  expect(inFlight()).toEqual([3])
  model.answer('a')
  await requests[0]
  await called('b', 'c', 'd')
  model.answer()
  expect((await Promise.all(requests)).flat()).toHaveLength(4)
  expect(invoker.processes()).toHaveLength(1)
})

it('suspects that have a request each share a process apart, as many as may be sent together', async () => {
  open({})
  const requests = ['a', 'b', 'c', 'd', 'e'].map(item => sendTo(4, item))
  await called('a', 'b', 'c', 'd', 'e')
  expect(invoker.processes()).toMatchObject([
    { is_apart: true, in_flight: 4 },
    { is_apart: true, in_flight: 1 },
  ])
  model.answer('a')
  await requests[0]
  model.answer()
  expect((await Promise.all(requests)).flat()).toHaveLength(5)
  await eventually(() => expect(invoker.processes()).toEqual([]))
})

it('a process that is killed has its own items sent again, in halves, and those of others go on', async () => {
  await using engine = await withBundle()
  open({ processItems: 8 })
  const runs: string[] = []
  for (const run of ['a', 'b', 'c']) {
    const inputs = [1, 2, 3, 4].map(n => ({ input: JSON.stringify({ url: model.urlOf(run + n) }) }))
    runs.push(await engine.submit(inputs))
  }
  const consumed = consume({ ...engine.ctx, invokeAgent: invoker.invoke })
  await eventually(() => expect(model.held.size).toBe(12))
  expect(inFlight()).toEqual([8, 4])
  const [full] = invoker.processes()
  process.kill(full!.pid, 'SIGKILL')
  await eventually(() => expect([...model.calls.values()].filter(calls => calls === 2)).toHaveLength(8))
  await eventually(() => expect(model.held.size).toBe(12))
  const apart = invoker.processes().filter(({ is_apart }) => is_apart)
  expect(apart.map(({ in_flight }) => in_flight)).toEqual([4, 4])
  model.answer()
  await consumed
  expect([...model.calls.values()].toSorted()).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2])
  for (const run of runs) {
    expect(await conservation(engine, run)).toEqual([])
    for (const item of await engine.items(run))
      expect(item).toMatchObject({ outcome: 'ok', agent_failures: 0, transport_failures: 0 })
  }
})

/** An engine whose agent is the bundle. */
async function withBundle() {
  const engine = await testEngine()
  await engine.sql`insert into bundles ${engine.sql({ hash: 'held', code: AGENT })}`
  await engine.deploy({ network: [model.host] })
  await engine.sql`update deployments set kind = 'bundle', url = null, bundle_hash = 'held'`
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() })
}
