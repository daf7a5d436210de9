import postgres from 'postgres'
import { afterAll, expect, inject, it, vi } from 'vitest'
import { killNode, startNode } from '../support/citus-nodes.ts'
import { callerOf } from '../support/citus-projects.ts'
import { conservation } from '../support/conservation.ts'
import { eventually } from '../support/eventually.ts'
import { heldAgent } from '../support/held-agent.ts'
import { makeProjects } from '../support/many-projects.ts'
import { startStack } from '../support/stack.ts'

/** The number of small projects, with one item each, and the items of the large one; 1,000,000 take some minutes. */
const PROJECTS = Number(process.env.CITUS_PROJECTS ?? 1000)
const ITEMS = Number(process.env.CITUS_ITEMS ?? 20_000)
const AT_ONCE = 16
/** The number of small projects whose runs the verify operation recounts too. */
const SAMPLE = Number(process.env.CITUS_VERIFIED ?? 20)
/** Time for the large run to end on a busy machine. */
const LARGE_MS = 90_000 + ITEMS / 2

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

it('loses nothing and counts nothing twice in many small projects and a large one while a node goes down and returns', async () => {
  const stack = parts.adopt(await startStack(), one => one.close())
  const agent = parts.adopt(await heldAgent(), one => one.close())
  const node = inject('workers')[1]!
  parts.defer(() => startNode(node).catch(() => {}))
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1 }), one => one.end())
  const projects = await makeProjects(stack, PROJECTS + 1, id => agent.urlOf(id))
  const large = projects.find(({ port }) => port === node.port)!
  const small = projects.filter(one => one !== large)
  const { submit, readRun, verify } = callerOf(() => stack.base_url)

  agent.hold()
  const ofLarge = await submit(large, ITEMS)
  await eventually(async () => expect((await readRun(large, ofLarge)).completed).toBeGreaterThan(0))
  // AT_ONCE callers submit at once; a project that is refused while its node is down submits again after it is back.
  const runs = new Map<string, string>()
  const waiting = [...small]
  const sendAll = async (isUp: () => boolean) => {
    for (let project = waiting.pop(); project !== undefined; project = waiting.pop()) {
      const sent = await submit(project, 1).catch(() => undefined)
      if (sent !== undefined) runs.set(project.id, sent)
      else if (isUp()) waiting.push(project)
      else refused.push(project)
    }
  }
  const refused: typeof small = []
  let isUp = true
  const sending = Array.from({ length: AT_ONCE }, () => sendAll(() => isUp))
  await eventually(() => expect(runs.size).toBeGreaterThan(small.length / 4))
  isUp = false
  await killNode(node)
  agent.release()
  await Promise.all(sending)

  await startNode(node)
  isUp = true
  waiting.push(...refused)
  await Promise.all(Array.from({ length: AT_ONCE }, () => sendAll(() => true)))
  expect(runs.size).toBe(small.length)
  await vi.waitFor(async () => expect((await readRun(large, ofLarge)).finished_at).not.toBeNull(), {
    timeout: LARGE_MS,
    interval: 200,
  })
  expect(await readRun(large, ofLarge)).toMatchObject({ completed: ITEMS, failed: 0 })
  await eventually(async () =>
    expect(await leftOf(sql)).toEqual({ runs: 0, items: 0, claims: 0, running: 0 }),
  )
  const [counted] = await sql`
    select count(*)::int as runs, sum(total_items)::int as items, sum(ok)::int as ok from runs`
  // A run whose response was lost with the node may have been accepted, and was submitted again.
  expect(counted!.runs).toBeGreaterThanOrEqual(small.length + 1)
  expect(counted!.ok).toBe(counted!.items)
  const [items] =
    await sql`select count(*)::int as n from items where status = 'completed' and outcome = 'ok'`
  expect(items!.n).toBe(counted!.items)
  expect(await miscounted(sql)).toEqual([])
  expect(await conservation({ sql }, ofLarge)).toEqual([])
  expect(await verify(large, ofLarge)).toMatchObject({ balanced: true })
  for (const project of small.slice(0, SAMPLE))
    expect(await verify(project, runs.get(project.id)!)).toMatchObject({ balanced: true })
})

async function leftOf(sql: postgres.Sql) {
  const counts = {
    runs: sql`select count(*)::int as n from runs where finished_at is null`,
    items: sql`select count(*)::int as n from items where status in ('queued', 'running', 'paused')`,
    claims: sql`select count(*)::int as n from claims`,
    running: sql`select coalesce(sum(running), 0)::int as n from project_usage`,
  }
  const left: Record<string, number> = {}
  for (const [name, count] of Object.entries(counts)) left[name] = (await count)[0]!.n
  return left
}

/** Runs whose counters differ from a recount of their items. */
const miscounted = (sql: postgres.Sql) => sql`
  select r.id from runs r join (
    select project_id, run_id, count(*) as n, count(*) filter (where outcome = 'ok') as ok from items group by 1, 2
  ) i on i.project_id = r.project_id and i.run_id = r.id
  where (r.total_items, r.ok) is distinct from (i.n, i.ok)`
