// Tests the loss and the return of the coordinator, which every statement goes through.

import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, expect, inject, it, vi } from 'vitest'
import { killNode, startNode } from '../support/citus-nodes.ts'
import { callerOf } from '../support/citus-projects.ts'
import { conservation } from '../support/conservation.ts'
import { eventually } from '../support/eventually.ts'
import { heldAgent } from '../support/held-agent.ts'
import { makeProjects } from '../support/many-projects.ts'
import { startStack } from '../support/stack.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

const ITEMS = 5000
/** How long the coordinator is away. */
const AWAY_MS = 10_000
/** The coordinator ends transactions that were being committed once a minute; a lease may have to expire first. */
const ENDED_MS = 180_000

it('all runs continue by themselves after the coordinator was killed and is back', async () => {
  const stack = parts.adopt(await startStack(), one => one.close())
  const agent = parts.adopt(await heldAgent(), one => one.close())
  const node = inject('coordinator')
  parts.defer(() => startNode(node).catch(() => {}))
  const projects = await makeProjects(stack, 6, id => agent.urlOf(id))
  const { submit, readRun } = callerOf(() => stack.base_url)
  const runs = await Promise.all(
    projects.map(async project => ({ project, run: await submit(project, ITEMS) })),
  )
  await eventually(async () => {
    for (const { project, run } of runs) expect((await readRun(project, run)).completed).toBeGreaterThan(0)
  })

  await killNode(node)
  await expect(submit(projects[0]!, 1)).rejects.toMatchObject({ code: 'store_unreachable' })
  await pause(AWAY_MS)
  await startNode(node)

  for (const { project, run } of runs)
    await vi.waitFor(
      async () =>
        expect(await readRun(project, run)).toMatchObject({ completed: ITEMS, failed: 0, running: 0 }),
      { timeout: ENDED_MS, interval: 200 },
    )
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1 }), one => one.end())
  for (const { run } of runs) expect(await conservation({ sql }, run)).toEqual([])
  const [counted] =
    await sql`select count(*)::int as n from items where status = 'completed' and outcome = 'ok'`
  expect(counted!.n).toBe(projects.length * ITEMS)
})
