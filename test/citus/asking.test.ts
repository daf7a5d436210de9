// Tests queries of all projects, and what a process knows about nodes that do not answer.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Connections, openConnections } from '../../infra/node/connections.ts'
import { askEach } from '../../shared/cluster/queries/distributed.ts'
import {
  askReachable,
  canBeAsked,
  lostNodes,
  noteLostNode,
  refuseUntold,
} from '../../shared/cluster/queries/nodes.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isNodeLost } from '../../shared/kernel/unreachable.ts'
import { type CitusNode, killNode, startNode } from '../support/citus-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { type MadeProject, makeProjects } from '../support/many-projects.ts'
import { type Stack, startStack } from '../support/stack.ts'

const parts = new AsyncDisposableStack()
let stack: Stack
let connections: Connections
let node: CitusNode
let projects: MadeProject[]

beforeAll(async () => {
  stack = parts.adopt(await startStack(), one => one.close())
  node = inject('workers')[1]!
  parts.defer(() => startNode(node).catch(() => {}))
  projects = await makeProjects(stack, 12, () => 'http://127.0.0.1:1/')
  connections = openConnections({ databaseUrl: stack.databaseUrl, redisUrl: 'redis://127.0.0.1:1' })
  parts.defer(() => connections.close())
})
afterAll(() => parts.disposeAsync())

const idsOf = (which: (port: number) => boolean) =>
  projects
    .filter(({ port }) => which(port))
    .map(({ id }) => id)
    .sort()
const ids = (rows: readonly { project_id: string }[]) =>
  rows
    .map(row => row.project_id)
    .filter(id => projects.some(one => one.id === id))
    .sort()

it('leaves out the projects of a lost node from the failed statement on, and queries them again after it is back', async () => {
  const { sql } = connections
  const askAll = () =>
    askReachable(
      sql,
      of => sql<{ project_id: string }[]>`select u.project_id from project_usage u where true ${of('u')}`,
    )
  const all = idsOf(() => true)
  expect(ids(await askAll())).toEqual(all)
  expect([lostNodes(), all.every(canBeAsked)]).toEqual([[], true])
  expect(() => refuseUntold()).not.toThrow()

  await killNode(node)
  const near = idsOf(port => port !== node.port)
  expect(near.length).toBeLessThan(all.length)
  expect(ids(await askAll())).toEqual(near)
  expect(lostNodes()).toEqual([`127.0.0.1:${node.port}`])
  expect(all.filter(canBeAsked)).toEqual(near)
  const untold = (() => {
    try {
      return refuseUntold()
    } catch (error) {
      return error
    }
  })()
  expect(isNodeLost(untold)).toBe(true)

  // Projects are queried one after another, up to the limit, and only reachable ones.
  const asked: string[] = []
  const rows = await askEach(
    sql,
    of => sql`select u.project_id from project_usage u where u.running = 0 ${of('u')}`,
    3,
    async (project, limit) => {
      asked.push(project!)
      return [project, project].slice(0, limit)
    },
  )
  expect([rows.length, asked.length]).toEqual([3, 2])
  expect(asked.every(canBeAsked)).toBe(true)

  await startNode(node)
  await eventually(async () => {
    await pause(LIMITS.nodes_look_ms)
    expect(ids(await askAll())).toEqual(all)
  })
  expect([lostNodes(), all.every(canBeAsked)]).toEqual([[], true])
})

it('does not repeat a query that failed for another reason or inside a transaction, which is over', async () => {
  const { sql } = connections
  let times = 0
  const wrong = askReachable(sql, () => {
    times++
    return sql`select 1 / 0`
  })
  await expect(wrong).rejects.toMatchObject({ code: '22012' })
  expect(times).toBe(1)

  await killNode(node)
  const inside = sql.begin(tx =>
    askReachable(tx as never, of => {
      times++
      return tx`select count(*) from project_usage u where true ${of('u')}`
    }),
  )
  const error = await inside.catch((error: unknown) => error)
  expect([times, isNodeLost(error), lostNodes()]).toEqual([2, true, []])
  await noteLostNode(sql, new Error('of something else'))
  expect(lostNodes()).toEqual([])
  await noteLostNode(sql, error)
  expect(lostNodes()).toEqual([`127.0.0.1:${node.port}`])
  await startNode(node)
})
