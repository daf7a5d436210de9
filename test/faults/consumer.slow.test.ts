// A consumer is killed, stopped or asked to leave while it holds items.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import type { Call } from './support/probe.ts'
import { ITEM_COST_MICRO, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

/** Items in flight get 5 s to end; the rest is for giving items back and closing what is open. */
const LEAVE_MS = 10_000

let stack: Stack
let agentId: string
beforeAll(async () => {
  stack = await startStack()
  agentId = await stack.deploy()
}, PATIENCE_MS)
afterAll(() => stack?.close())
afterEach(async () => {
  await stack.endProcesses()
  await stack.startControl()
})

const batch = (n: number) => Array.from({ length: n }, () => ({}))

/** What consumers hold, as the database sees it. */
async function heldItems() {
  return stack.sql<{ run_id: string; seq: number; attempt: number; recorded: number }[]>`
    select i.run_id, i.seq, i.attempt, i.step_count as recorded
    from claims c, unnest(c.seqs, c.attempts) as t(seq, attempt)
      join items i on i.seq = t.seq and i.attempt = t.attempt and i.status = 'running'
    where i.run_id = c.run_id order by 1, 2`
}

const lostAttempts = () => stack.sql<{ run_id: string; seq: number }[]>`
  select run_id, seq from attempts where code = 'lease_lost' order by 1, 2`

const heldOf = (held: readonly { run_id: string }[], runId: string) =>
  held.filter(item => item.run_id === runId).length

it.for([
  'claim.before_commit=kill@3',
  'claim.after_commit=kill@3',
  'invoke.before_request=kill@3',
  'settle.before_commit=kill@12',
  'settle.after_commit=kill@12',
])(
  'a consumer killed at %s is survived by the next, and every item ends once',
  { timeout: PATIENCE_MS },
  async fault => {
    await stack.sql`delete from attempts`
    const items = 60
    const inputs = batch(items).map(() => ({ steps: 6 }))
    const runIds = await Promise.all(Array.from({ length: 6 }, () => stack.submit(agentId, inputs)))
    const release = stack.probe.hold(call => call.step === 'price') // nothing ends before the fault
    const doomed = await stack.startConsumer(fault)
    expect(await stack.gone(doomed)).toBe('SIGKILL')
    await stack.sql`update claims set lease_until = now() + interval '1 hour'`
    const held = await heldItems()
    release()

    await stack.startConsumer()
    for (const id of runIds) await stack.runBecomes(id, run => run.ok + heldOf(held, id) >= items)
    await eventually(async () => expect(await heldItems()).toEqual(held)) // an item that was just settled is not held
    expect(await lostAttempts()).toEqual([])

    await stack.ageLeases()
    for (const id of runIds) {
      expect(await stack.finished(id)).toMatchObject({
        status: 'completed',
        ok: items,
        cost_micro: items * ITEM_COST_MICRO,
      })
      expect(await stack.breaches(id)).toEqual([])
    }
    expect(await lostAttempts()).toEqual(held.map(({ run_id, seq }) => ({ run_id, seq })))
    if (!fault.startsWith('claim.before')) expect(held.length).toBeGreaterThan(0)
    if (fault.startsWith('settle')) expect(held.some(item => item.recorded > 0)).toBe(true)
  },
)

it.for(['settle.before_commit=stop@5', 'claim.before_commit=stop@2'])(
  'a consumer stopped at %s for longer than its lease changes nothing with its late results',
  { timeout: PATIENCE_MS },
  async fault => {
    const items = 60
    const first = await stack.submit(agentId, batch(items))
    // The items that it claimed first are in flight until it stops, however quick its agent is.
    const release = stack.probe.hold(call => fault.startsWith('claim') && call.run === first)
    const paused = await stack.startConsumer(fault)
    if (fault.startsWith('claim')) await stack.runBecomes(first, run => run.running > 0)
    const others = await Promise.all(Array.from({ length: 2 }, () => stack.submit(agentId, batch(items))))
    const runIds = [first, ...others]
    await paused.stopped()
    release()
    await stack.sql`update claims set lease_until = now() - interval '1 second'`
    await stack.startConsumer()
    for (const id of runIds)
      expect(await stack.finished(id)).toMatchObject({ status: 'completed', ok: items })
    const verdicts = () => stack.sql`select * from items where run_id = any(${runIds}) order by run_id, seq`
    const recorded = await verdicts()
    expect(recorded.some(item => item.attempt === 2)).toBe(true)

    // What it still has to write, it writes before it leaves. (How it exits depends on the driver, which may throw
    // where nobody can catch it when the server has ended a transaction's session.)
    paused.signal('SIGCONT')
    await paused.end('SIGTERM')
    expect(await verdicts()).toEqual(recorded)
    for (const id of runIds) expect(await stack.breaches(id)).toEqual([])
  },
)

it('a consumer asked to leave gives back its items, and the next continues them at once', {
  timeout: PATIENCE_MS,
}, async () => {
  const items = 80
  const release = stack.probe.hold(call => call.step === 's2')
  const runId = await stack.submit(agentId, batch(items))
  const leaving = await stack.startConsumer()
  await stack.probe.until(calls => calls.filter(c => c.run === runId && c.step === 's2').length === items)
  const asked = performance.now()
  expect(await leaving.end('SIGTERM')).toBe(0)
  expect(performance.now() - asked).toBeLessThan(LEAVE_MS)
  expect(await stack.run(runId)).toMatchObject({ running: 0, ok: 0 })
  expect(await stack.sql`select from claims where run_id = ${runId}`).toHaveLength(0)

  release()
  await stack.startConsumer()
  expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: items })
  expect(await stack.breaches(runId)).toEqual([])
  const calls = stack.probe.calls.filter(call => call.run === runId)
  expect(calls.filter(call => call.step === 's1')).toHaveLength(items)
  expect(calls.filter(call => call.step === 's2')).toHaveLength(2 * items)
  const codes =
    await stack.sql`select code, count(*)::int as n from attempts where run_id = ${runId} group by 1`
  expect(codes).toEqual([{ code: 'handed_over', n: items }])
})

// In real time: the lease of 25 s expires by itself.
it('items of a killed consumer are retried within 35 s', { timeout: PATIENCE_MS }, async () => {
  const items = 20
  const release = stack.probe.hold(call => call.step === 's2')
  const runId = await stack.submit(agentId, batch(items))
  const offered = (attempt: number) => (calls: readonly Call[]) =>
    new Set(calls.filter(c => c.run === runId && c.step === 's2' && c.attempt === attempt).map(c => c.item))
      .size === items
  const doomed = await stack.startConsumer()
  await stack.probe.until(offered(1))
  await stack.startConsumer()
  await doomed.end('SIGKILL')
  const died = performance.now()
  await stack.probe.until(offered(2))
  const waited = performance.now() - died
  release()
  expect(waited).toBeLessThan(35_000)
  expect(waited).toBeGreaterThan(10_000) // otherwise the lease was not what held them back
  expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: items })
  expect(await stack.breaches(runId)).toEqual([])
})
