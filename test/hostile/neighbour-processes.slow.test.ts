// A tenant's code loops, eats memory, or is deployed a hundred times: its processes end or wait, and those of other
// accounts start.

import { afterEach, expect, it } from 'vitest'
import { createInvoker, type Invoker } from '../../infra/runtime/invoker.ts'
import { processBounds } from '../../infra/runtime/process-room.ts'
import { type AgentTarget, NotSent } from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { eventually } from '../support/eventually.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { expectUndisturbed, printMeasured, startShared } from './support/neighbour-stack.ts'

const CODE = `
const does = {
  echo: () => 'well',
  loop() { for (;;); },
  eat() { const kept = []; for (;;) kept.push(new Uint8Array(64 << 20).fill(1)) },
  never: () => new Promise(resolve => setTimeout(resolve, 600_000)),
}
export default {
  async fetch(request) {
    const items = (await request.text()).trim().split('\\n').map(line => JSON.parse(line))
    const lines = items.map(async ({ seq, attempt, input }) =>
      JSON.stringify({ type: 'result', seq, attempt, output: await does[input]() }) + '\\n')
    return new Response((await Promise.all(lines)).join(''), { headers: { 'content-type': 'application/x-ndjson' } })
  },
}
`

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

async function open(bounds: { size: number; share: number }): Promise<Invoker> {
  const folder: TempFolder = parts.adopt(await tempFolder(), one => one.remove())
  const options = { loadBundle: async () => CODE, dataDir: folder.path, bounds }
  return parts.adopt(createInvoker(options), one => one.close())
}

const target = (account_id: string, deployment_id: string): AgentTarget => ({
  account_id,
  agent_id: 'a',
  deployment_id,
  kind: 'bundle',
  protocol: 'ndjson',
  url: null,
  bundle_hash: 'h',
  declaration: { name: 'hostile' },
  env: {},
  together: null,
})

async function ask(invoker: Invoker, at: AgentTarget, input: string, signal = new AbortController().signal) {
  const body = `${JSON.stringify({ seq: 1, attempt: 1, input })}\n`
  const answer = await invoker.invoke(at, { headers: {}, body, signal })
  let text = ''
  for await (const chunk of answer.body) text += Buffer.from(chunk)
  return JSON.parse(text).output
}

it('however many deployments of an account run, another account has room for a process', async () => {
  const invoker = await open({ size: 4, share: 3 })
  const over = new AbortController()
  const hanging = Array.from({ length: 8 }, (_, i) =>
    ask(invoker, target('attacker', `d${i}`), 'never', over.signal).catch(error => error),
  )
  await eventually(() => expect(invoker.processes()).toHaveLength(3))
  expect(await ask(invoker, target('neighbour', 'n'), 'echo')).toBe('well')
  // The attack has arrived: it has its share, each process has its request, and the rest waits.
  const attackers = () => invoker.processes().filter(({ deployment_id }) => deployment_id !== 'n')
  await eventually(() => expect(attackers().map(({ in_flight }) => in_flight)).toEqual([1, 1, 1]))
  over.abort()
  const errors = await Promise.all(hanging)
  // Requests that waited for room were never sent, so their items are not blamed.
  expect(errors.filter(error => error instanceof NotSent)).toHaveLength(5)
})

it('an idle process makes room for another of its account, and for other accounts if there is no room at all', async () => {
  const invoker = await open({ size: 3, share: 2 })
  for (let i = 0; i < 6; i++) {
    expect(await ask(invoker, target('one', `d${i}`), 'echo')).toBe('well')
    expect(invoker.processes().length).toBeLessThanOrEqual(2)
  }
  for (const account of ['two', 'three', 'four'])
    expect(await ask(invoker, target(account, account), 'echo')).toBe('well')
  expect(invoker.processes().length).toBeLessThanOrEqual(3)
})

it('a machine of any size has room for some processes, and keeps half of its memory', () => {
  expect(processBounds(2 ** 29)).toEqual({ size: LIMITS.agent_processes.min, share: 6 })
  expect(processBounds(2 ** 32)).toEqual({ size: 21, share: 16 })
  expect(processBounds(2 ** 40)).toEqual({ size: LIMITS.agent_processes.max, share: 192 })
})

it('bundles that loop and that eat memory cost a neighbour little', async () => {
  const shared = parts.adopt(await startShared(), one => one.close())
  await shared.measure(20)
  printMeasured('alone', await shared.measure(50))
  const attacker = await shared.tenant()
  const runs: string[] = []
  for (const input of ['loop', 'loop', 'eat']) {
    const agent_id = await attacker.deploy({ kind: 'bundle', code: CODE, declaration: { name: input } })
    const items = Array.from({ length: 200 }, () => ({ input }))
    runs.push((await attacker.call('/v1/batches', { agent_id, items })).run_id)
  }
  const failures = () => shared.sql<{ code: string; n: number }[]>`
    select code, count(*)::int as n from attempts where run_id = any(${runs}) group by 1`
  const measured = await shared.measure(50)
  await eventually(async () =>
    expect((await failures()).map(({ code }) => code)).toContain('agent_unresponsive'),
  )
  const codes = await failures()
  printMeasured(
    `beside bundles that loop and eat memory (${codes.map(({ code, n }) => `${code} ${n}`)})`,
    measured,
  )
  expectUndisturbed(measured)
}, 600_000)
