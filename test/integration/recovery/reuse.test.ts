// Which calls are repeated when items are replayed whose model gave wrong answers, with agents made with the SDK,
// behind a URL and as bundles in workerd.

import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listen } from '../../../infra/node/listen.ts'
import { createInvoker } from '../../../infra/runtime/invoker.ts'
import { findBundle } from '../../../shared/agents/queries/bundles.ts'
import { deploy } from '../../../shared/agents/verbs/deploy.ts'
import { bundleAgent } from '../../../shared/cli/bundle.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { type RecoveryOrder, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { serve } from '../../../shared/sdk/serve.ts'
import { conservation, type TestEngine, testEngine } from '../../support/engine.ts'
import { recovered as recoveredIn, recoveryOrder } from '../../support/recoveries.ts'
import Sorter from '../../support/sorter-agent.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ITEMS = 60

let engine: TestEngine
const parts = new AsyncDisposableStack()
/** How often each service was called, and what the model answers. */
let calls: Record<string, number>
let category: string
let services: string
const code: Record<'url' | 'bundle', Parameters<typeof deploy>[1]['code']> = {
  url: { kind: 'url', url: '', protocol: 'ndjson' },
  bundle: { kind: 'bundle', text: '' },
}

async function answer(request: Request): Promise<Response> {
  const name = new URL(request.url).pathname.slice(1)
  calls[name] = (calls[name] ?? 0) + 1
  const asked = await request.json()
  if (name === 'find') return Response.json({ text: `text ${asked.n}` })
  if (name !== 'model') return Response.json({ done: name })
  const message = { role: 'assistant', content: category }
  return Response.json({
    object: 'chat.completion',
    model: 'test-model',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 10 },
  })
}

beforeAll(async () => {
  engine = await testEngine()
  parts.defer(() => engine.close())
  const folder = await tempFolder()
  parts.defer(() => folder.remove())
  const loadBundle = (hash: string) => findBundle(engine.sql, hash)
  const invoker = createInvoker({
    loadBundle,
    dataDir: folder.path,
    allowPrivateNetworks: ['127.0.0.0/8'],
  })
  parts.defer(() => invoker.close())
  engine.ctx.invokeAgent = invoker.invoke
  const server = await listen({ port: 0, host: '127.0.0.1' }, answer)
  parts.defer(() => server.close())
  services = server.url
  const agent = await listen({ port: 0, host: '127.0.0.1' }, request => serve(Sorter as never)(request))
  parts.defer(() => agent.close())
  code.url = { kind: 'url', url: agent.url, protocol: 'ndjson' }
  const bundle = await bundleAgent(join(import.meta.dirname, '../../support/sorter-agent.ts'))
  code.bundle = { kind: 'bundle', text: bundle.code }
})
afterAll(() => parts.disposeAsync())
beforeEach(() => {
  calls = {}
})

const since = () => {
  const seen = calls
  calls = {}
  return seen
}

/** A run whose model answers with no valid category, so that every item violates its schema. */
async function offSchema(kind: 'url' | 'bundle', items = ITEMS) {
  const { project_id, agent_id } = engine
  const declaration = { name: 'Sorter', network: [new URL(services).host], max_consecutive_failures: 1000 }
  await deploy(engine.ctx, {
    project_id,
    agent_id,
    code: code[kind],
    declaration,
    env: {},
    external_id: null,
  })
  category = 'gibberish'
  const runId = await engine.submit(
    Array.from({ length: items }, (_, n) => ({ input: JSON.stringify({ n, services }) })),
  )
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'partial', degraded: items })
  expect(since()).toEqual({ find: items, model: items, notify: items, file: items })
  return runId
}

async function recovered(more: Partial<RecoveryOrder>) {
  const order = recoveryOrder(engine, { filter: { reason: 'schema_mismatch' }, ...more })
  const row = await recoveredIn(engine, await startRecovery(engine.ctx, order))
  expect(row).toMatchObject({ status: 'completed' })
  const [runId] = row.run_ids
  expect(await conservation(engine, runId)).toEqual([])
  return { runId, run: await engine.run(runId) }
}

const stepsOf = (runId: string) =>
  engine.sql`select key, reused, cost_micro > 0 as costs, input is not null as has_input
    from steps where run_id = ${runId} and seq = 1 order by step_no`

describe.each(['url', 'bundle'] as const)('a recovery with an agent that is a %s', kind => {
  it('asks the model again and calls tools only for a new input; with reuse "all" it repeats nothing [recovery.steps-reused]', async () => {
    await offSchema(kind)
    // While the fault persists, a recovery that reuses everything calls nothing and counts its items as unchanged.
    const again = await recovered({ reuse: 'all' })
    expect(since()).toEqual({})
    expect(again.run).toMatchObject({ degraded: ITEMS, unchanged: ITEMS, cost_micro: 0 })

    category = 'card'
    const { runId, run } = await recovered({})
    expect(since()).toEqual({ model: ITEMS, file: ITEMS })
    expect(run).toMatchObject({ status: 'completed', ok: ITEMS, unchanged: 0 })
    expect(await stepsOf(runId)).toEqual([
      { key: 'find', reused: true, costs: false, has_input: true },
      { key: 'sort', reused: false, costs: true, has_input: true },
      { key: 'notify', reused: true, costs: false, has_input: true },
      { key: 'file', reused: false, costs: false, has_input: true },
    ])
  })
})

it('a replay asks the model again by default, repeats nothing with "all", all steps with "none", and some from a step', async () => {
  const runId = await offSchema('url', 4)
  category = 'loan'
  const asked = async (seq: number, options: Parameters<typeof replayItem>[2]) => {
    const { reused_steps } = await replayItem(engine.ctx, engine.item(runId, seq), options)
    await consume(engine.ctx)
    return [reused_steps, since()]
  }
  expect(await asked(1, {})).toEqual([1, { model: 1, file: 1 }])
  expect(await asked(2, { reuse: 'all' })).toEqual([4, {}])
  expect(await asked(3, { reuse: 'none' })).toEqual([0, { find: 1, model: 1, notify: 1, file: 1 }])
  expect(await asked(4, { from_step: 'notify' })).toEqual([2, { notify: 1, file: 1 }])
})
