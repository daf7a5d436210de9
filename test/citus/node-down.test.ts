import postgres from 'postgres'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type CitusNode, killNode, startNode } from '../support/citus-nodes.ts'
import { callerOf } from '../support/citus-projects.ts'
import { conservation } from '../support/conservation.ts'
import { eventually } from '../support/eventually.ts'
import { type HeldAgent, heldAgent } from '../support/held-agent.ts'
import { type MadeProject, makeProjects } from '../support/many-projects.ts'
import { type Stack, startStack } from '../support/stack.ts'

const parts = new AsyncDisposableStack()
let stack: Stack
let agent: HeldAgent
let near: MadeProject
/** The project on the node that goes down. */
let far: MadeProject
let node: CitusNode

beforeAll(async () => {
  stack = parts.adopt(await startStack(), one => one.close())
  agent = parts.adopt(await heldAgent(), one => one.close())
  node = inject('workers')[1]!
  const projects = await makeProjects(stack, 12, id => agent.urlOf(id))
  far = projects.find(({ port }) => port === node.port)!
  near = projects.find(({ port }) => port !== node.port)!
  parts.defer(() => startNode(node).catch(() => {}))
})
afterAll(() => parts.disposeAsync())

const { submit, readRun, ended } = callerOf(() => stack.base_url)

const readiness = async () => {
  const response = await fetch(`${stack.base_url}/health/ready`)
  const told = (await response.json()) as { dependencies: { postgres: unknown } }
  return { code: response.status, postgres: told.dependencies.postgres }
}

const ITEMS = 1200

it('a node that is down stops only the projects on it, which continue where they were after it is back', async () => {
  agent.hold()
  const [ofNear, ofFar] = [await submit(near, ITEMS), await submit(far, ITEMS)]
  await eventually(() => expect([agent.held(near.id), agent.held(far.id)]).not.toContain(0))
  await eventually(async () => expect((await readRun(far, ofFar)).completed).toBeGreaterThan(0))
  await killNode(node)
  agent.release()

  expect(await ended(near, ofNear)).toMatchObject({ completed: ITEMS, failed: 0 })
  expect(await ended(near, await submit(near, 3))).toMatchObject({ completed: 3 })
  expect(await ended(near, await submit(near, 3000))).toMatchObject({ completed: 3000 })

  for (const ask of [() => readRun(far, ofFar), () => submit(far, 3)])
    await expect(ask()).rejects.toMatchObject({ code: 'store_unreachable' })
  expect(await readiness()).toMatchObject({
    code: 200,
    postgres: { status: 'degraded', reason: expect.stringContaining(`127.0.0.1:${node.port}`) },
  })
  expect(stack.log.filter(line => line.includes('lease_lost'))).toEqual([])

  await startNode(node)
  expect(await ended(far, ofFar)).toMatchObject({ completed: ITEMS, failed: 0 })
  expect(await ended(far, await submit(far, 3))).toMatchObject({ completed: 3 })
  await eventually(async () =>
    expect(await readiness()).toMatchObject({ code: 200, postgres: { status: 'ok' } }),
  )
  const sql = postgres(stack.databaseUrl, { max: 1 })
  for (const run of [ofNear, ofFar]) expect(await conservation({ sql }, run)).toEqual([])
  await sql.end()
})
