// A tenant has 10,000 schedules that are due in the same minute, or callbacks to hosts that hang: the runs that another
// account starts by schedule, and its callbacks, go out in time.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  behindUrl,
  expectUndisturbed,
  type HangingHost,
  hangingHost,
  type Project,
  printMeasured,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

let shared: Shared
let host: HangingHost
beforeEach(async () => {
  shared = await startShared({ ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.0/8' })
  host = await hangingHost()
}, START_MS)
afterEach(async () => {
  await host.close()
  await shared.close()
})

/** Each fires every minute, and no two are the same: an agent has one schedule for each cron. */
const crons = (count: number): string[] => {
  const spellings = [
    ['*', '*/1', '0-59'],
    ['*', '*/1', '0-23'],
    ['*', '*/1', '1-31'],
    ['*', '*/1', '1-12'],
    ['*', '*/1', '0-6'],
  ]
  const all = spellings.reduce<string[][]>(
    (rows, field) => rows.flatMap(row => field.map(text => [...row, text])),
    [[]],
  )
  return all.slice(0, count).map(fields => fields.join(' '))
}

async function makeDue(project: Project, agent_ids: readonly string[], perAgent: number): Promise<void> {
  const { sql, ctx } = shared
  const rows = agent_ids.flatMap(agent_id =>
    crons(perAgent).map(cron => ({ id: ctx.newId(), project_id: project.id, agent_id, cron })),
  )
  for (let at = 0; at < rows.length; at += 1000)
    await sql`insert into schedules ${sql(rows.slice(at, at + 1000))}`
  await sql`update schedules set next_at = date_trunc('minute', now()) where project_id = ${project.id}`
}

it('10,000 schedules that are due at once hold up no other account', async () => {
  const [attacker, other] = [await shared.tenant(), await shared.tenant()]
  const agents: string[] = []
  for (let i = 0; i < 50; i++) agents.push(await attacker.deploy(behindUrl(host.url)))
  const agent_id = await other.deploy(behindUrl(host.url))
  await makeDue(attacker, agents, 200)
  const fired = async ({ id }: Project) => {
    const [row] = await shared.sql<{ n: number }[]>`
      select count(*)::int as n from occurrences where project_id = ${id}`
    return row!.n
  }
  await eventually(async () => expect(await fired(attacker)).toBeGreaterThan(0)) // the attack has arrived
  await makeDue(other, [agent_id], 1)
  const began = performance.now()
  await eventually(async () => expect(await fired(other)).toBe(1))
  const took_ms = performance.now() - began
  const before = await fired(attacker)
  console.log(
    `one schedule beside 10,000 that are due: ${Math.round(took_ms)} ms, when ${before} of those had fired`,
  )
  const measured = await shared.measure()
  printMeasured('beside 10,000 schedules', measured)
  expect(before).toBeLessThan(10_000)
  expect(took_ms).toBeLessThan(30_000)
  expectUndisturbed(measured)
}, 600_000)

it('receivers that hang hold up no callback of another account', async () => {
  const [attacker, other] = [await shared.tenant(), await shared.tenant()]
  const receiver = await startReceiver()
  const agent = async (project: Project) => project.deploy(behindUrl('http://127.0.0.1:9/', {}, 'json'))
  /** Starts a run and cancels it, so that it ends and calls back at once. */
  const callBack = async (project: Project, agent_id: string, callback_url: string) => {
    const { run_id } = await project.call(`/v1/agents/${agent_id}/runs`, { input: 0, callback_url })
    await project.cancel(run_id)
  }
  const [ofAttacker, ofOther] = [await agent(attacker), await agent(other)]
  const { port } = new URL(host.url)
  // One host gets a bounded number at a time; with many hosts an account uses all of its share.
  for (let i = 0; i < 200; i++)
    await callBack(attacker, ofAttacker, `http://127.0.0.${1 + (i % 10)}:${port}/hook`)
  await eventually(() =>
    expect(host.open()).toBeGreaterThanOrEqual(LIMITS.deliveries_in_flight_per_project / 2),
  )
  const began = performance.now()
  await callBack(other, ofOther, receiver.url)
  await receiver.got(1)
  const took_ms = performance.now() - began
  console.log(`one callback beside ${host.open()} that hang: ${Math.round(took_ms)} ms`)
  const measured = await shared.measure()
  printMeasured('beside callbacks that hang', measured)
  expect(host.open()).toBeLessThanOrEqual(LIMITS.deliveries_in_flight_per_account)
  expect(took_ms).toBeLessThan(LIMITS.delivery_ms)
  expectUndisturbed(measured)
  await receiver.close()
}, 600_000)
