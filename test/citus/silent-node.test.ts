// Tests a node that is silent: its machine accepts connections, and its processes do not answer.

import postgres from 'postgres'
import { afterAll, expect, inject, it, vi } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { silenceNode, wakeNode } from '../support/citus-nodes.ts'
import { callerOf } from '../support/citus-projects.ts'
import { conservation } from '../support/conservation.ts'
import { eventually } from '../support/eventually.ts'
import { heldAgent } from '../support/held-agent.ts'
import { makeProjects } from '../support/many-projects.ts'
import { startStack } from '../support/stack.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

const ITEMS = 1200
/** In which a process finds out, and projects of other nodes go on. */
const BOUND_MS = 10_000

it('a node that is silent stops only the projects on it, and they continue when it answers again', async () => {
  const stack = parts.adopt(await startStack(), one => one.close())
  const agent = parts.adopt(await heldAgent(), one => one.close())
  const node = inject('workers')[1]!
  const projects = await makeProjects(stack, 12, id => agent.urlOf(id))
  const far = projects.find(({ port }) => port === node.port)!
  const near = projects.find(({ port }) => port !== node.port)!
  const { submit, readRun, ended } = callerOf(() => stack.base_url)

  agent.hold()
  const [ofNear, ofFar] = [await submit(near, ITEMS), await submit(far, ITEMS)]
  await eventually(async () => expect((await readRun(far, ofFar)).completed).toBeGreaterThan(0))
  await silenceNode(node)
  parts.defer(() => wakeNode(node).catch(() => {}))
  agent.release()
  const silent_ms = performance.now()
  const within = { timeout: BOUND_MS, interval: 100 }
  await vi.waitFor(async () => {
    expect(await readRun(near, ofNear)).toMatchObject({ completed: ITEMS, failed: 0 })
  }, within)
  const later = await submit(near, 3)
  await vi.waitFor(async () => expect((await readRun(near, later)).completed).toBe(3), within)
  expect(performance.now() - silent_ms).toBeLessThan(2 * BOUND_MS)

  // Known by now: what names a project on the node is refused at once, and not after a wait for the node.
  const asked_ms = performance.now()
  for (const ask of [() => readRun(far, ofFar), () => submit(far, 3)])
    await expect(ask()).rejects.toMatchObject({ code: 'store_unreachable' })
  expect(performance.now() - asked_ms).toBeLessThan(LIMITS.nodes_answer_ms)
  const ready = await fetch(`${stack.base_url}/health/ready`)
  expect(await ready.json()).toMatchObject({
    dependencies: {
      postgres: { status: 'degraded', reason: expect.stringContaining(`127.0.0.1:${node.port}`) },
    },
  })

  await wakeNode(node)
  await vi.waitFor(async () => expect((await readRun(far, ofFar)).finished_at).not.toBeNull(), {
    timeout: 180_000,
    interval: 200,
  })
  expect(await ended(far, ofFar)).toMatchObject({ completed: ITEMS, failed: 0 })
  expect(await ended(far, await submit(far, 3))).toMatchObject({ completed: 3 })
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1 }), one => one.end())
  for (const run of [ofNear, ofFar, later]) expect(await conservation({ sql }, run)).toEqual([])
})
