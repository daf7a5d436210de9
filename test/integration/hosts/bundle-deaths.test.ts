// One bad item among many of a bundle, in real processes of workerd: whatever it does to its process, the others work.

import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createInvoker, type Invoker } from '../../../infra/runtime/invoker.ts'
import { bundleAgent } from '../../../shared/cli/bundle.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { conservation, type TestEngine, testEngine } from '../../support/engine.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

let folder: TempFolder
let engine: TestEngine
let invoker: Invoker
let code: string
let pids: Set<number>
beforeAll(async () => {
  folder = await tempFolder()
  code = (await bundleAgent(join(import.meta.dirname, '../../support/deadly-agent.ts'))).code
})
afterAll(() => folder.remove())
beforeEach(async () => {
  engine = await testEngine()
  invoker = createInvoker({ loadBundle: async () => code, dataDir: folder.path })
  pids = new Set()
  await engine.sql`insert into bundles ${engine.sql({ hash: 'deadly', code })}`
  await engine.sql`update deployments set kind = 'bundle', url = null, bundle_hash = 'deadly'`
})
afterEach(async () => {
  await invoker.close()
  await engine.close()
})

/** Runs the items to their end, which others wait a moment for; returns those that did not complete. */
async function night(inputs: object[]) {
  const runId = await engine.submit(inputs.map(input => ({ input: JSON.stringify(input) })))
  await consume({
    ...engine.ctx,
    async invokeAgent(target, request) {
      const response = await invoker.invoke(target, request)
      for (const { pid } of invoker.processes()) pids.add(pid)
      return response
    },
  })
  expect(await conservation(engine, runId)).toEqual([])
  const items = await engine.items(runId)
  const others = items.filter(item => item.input!.includes('wait'))
  expect(others.filter(item => item.status !== 'completed' || item.outcome !== 'ok')).toEqual([])
  expect(others.filter(item => Number(item.agent_failures) + Number(item.transport_failures) > 0)).toEqual([])
  return { runId, guilty: items.filter(item => !item.input!.includes('wait')) }
}

const waiting = (n: number) => Array.from({ length: n }, () => ({ do: 'wait' }))

it.for([
  ['exit', 'agent_crashed', 'called process.exit(3)'],
  ['memory', 'agent_crashed', 'out of memory'],
  ['loop', 'agent_unresponsive', 'CPU'],
])(
  'the item that ends its process is found, and its error says what it did: %s',
  async ([what, code, words]) => {
    const { guilty } = await night([...waiting(6), { do: what }, ...waiting(9)])
    expect(guilty).toMatchObject([{ status: 'failed', error_code: code }])
    expect(guilty[0]!.error_message).toContain(words)
    expect(guilty[0]!.error_message).toContain('sent again in halves')
    // The shared one, eight of halves at most, and not one for each item.
    expect(pids.size).toBeLessThanOrEqual(1 + 2 * 4)
  },
)

it('the item is found as fast where each has a request of its own, as under a budget', async () => {
  await engine.sql`update deployments set declaration = declaration || '{"item_budget_cents": 5}'`
  const { guilty } = await night([...waiting(6), { do: 'exit' }, ...waiting(9)])
  expect(guilty).toMatchObject([{ status: 'failed', error_code: 'agent_crashed' }])
  expect(pids.size).toBeLessThanOrEqual(1 + 2 * 4)
})

it('a call that was recorded is not made again when others are found to end their process', async () => {
  const { runId } = await night([...waiting(5).map(input => ({ ...input, calls: true })), { do: 'exit' }])
  const steps = await engine.sql`select seq, count(*)::int as n from steps where run_id = ${runId} group by 1`
  expect(steps.map(({ n }) => n)).toEqual([1, 1, 1, 1, 1])
})
