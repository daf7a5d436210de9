// Generators of bundles, in real workerd processes.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createInvoker, type Invoker } from '../../../infra/runtime/invoker.ts'
import type { AgentTarget } from '../../../shared/agents/rules/invoke-agent.ts'
import { type AgentBundle, bundleAgent } from '../../../shared/cli/bundle.ts'
import { NDJSON } from '../../../shared/protocol/rules/protocol.ts'

const AGENT = `
import { agent, type Context, items, type ItemsContext, type Occurrence } from 'assay'

@agent({ name: 'Tickets' })
export default class Tickets {
  size = 3

  @items async *tickets(_ctx: ItemsContext, { date }: Occurrence) {
    for (let n = 1; n <= this.size; n++) yield { id: date + '-' + n }
  }

  @items *endless() {
    for (let n = 0; ; n++) yield { n, text: 'x'.repeat(10_000) }
  }

  async run(_ctx: Context, input: { ms: number }) {
    await new Promise(resolve => setTimeout(resolve, input.ms))
    return input
  }
}
`
const MiB = 1024 * 1024

let folder: string
let bundle: AgentBundle
let invoker: Invoker
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generators-'))
  await chmod(folder, 0o711) // so that a process of another user can enter it
  await writeFile(join(folder, 'agent.ts'), AGENT)
  bundle = await bundleAgent(join(folder, 'agent.ts'))
  invoker = createInvoker({ dataDir: folder, loadBundle: async () => bundle.code })
})
afterAll(async () => {
  await invoker.close()
  await rm(folder, { recursive: true, force: true })
})

const target = (more: Partial<AgentTarget> = {}): AgentTarget => ({
  account_id: 'c',
  agent_id: 'a',
  deployment_id: 'd',
  kind: 'bundle',
  protocol: 'ndjson',
  url: null,
  bundle_hash: 'h',
  declaration: bundle.declaration,
  env: {},
  together: null,
  ...more,
})

const send = (to: AgentTarget, body: object, signal = new AbortController().signal) =>
  invoker.invoke(to, { headers: { 'content-type': NDJSON }, body: `${JSON.stringify(body)}\n`, signal })

const ask = (generator: string, signal?: AbortSignal) =>
  send(
    target({ generates: true }),
    { generator, occurrence: { scheduled_for: '2026-03-29T00:30:00Z', timezone: 'UTC', date: '2026-03-29' } },
    signal,
  )

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text
}

it('generators are declared by a deploy, and yield in a process apart from the items [sources.generator]', async () => {
  expect(bundle.declaration.generators).toEqual(['tickets', 'endless'])
  const items = send(target(), { seq: 1, attempt: 1, input: { ms: 0 } })
  const yielded = await textOf((await ask('tickets')).body)
  expect(
    yielded
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual([
    { type: 'item', input: { id: '2026-03-29-1' } },
    { type: 'item', input: { id: '2026-03-29-2' } },
    { type: 'item', input: { id: '2026-03-29-3' } },
    { type: 'end', items: 3 },
  ])
  expect(await textOf((await items).body)).toContain('"type":"result"')
  expect(new Set(invoker.processes().map(({ pid }) => pid)).size).toBe(2)
})

it('endless generators are held back by their reader, and stop with the request', async () => {
  const over = new AbortController()
  const { body } = await ask('endless', over.signal)
  const reader = body[Symbol.asyncIterator]()
  for (let bytes = 0; bytes < 8 * MiB; ) bytes += (await reader.next()).value!.length
  const [before] = invoker.processes().filter(one => one.in_flight > 0)
  const answered = await textOf((await ask('tickets')).body) // it still answers other requests meanwhile
  expect(answered).toContain('"end"')
  const [after] = invoker.processes().filter(one => one.pid === before!.pid)
  expect(after!.rss_bytes - before!.rss_bytes).toBeLessThan(32 * MiB)
  over.abort(new Error('read enough'))
  const rest = async () => {
    while (!(await reader.next()).done);
  }
  await expect(rest()).rejects.toThrow('read enough')
})
