// A tenant's host never answers, while the tenant has all the items and all the concurrency that its owner may give it:
// another account's single item begins and ends as if it were alone.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { eventually } from '../support/eventually.ts'
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

const MOST = LIMITS.items_in_flight_per_consumer

let shared: Shared
let host: HangingHost
beforeAll(async () => {
  shared = await startShared()
  host = await hangingHost()
  await shared.measure(20) // its code is compiled by then
  printMeasured('alone', await shared.measure())
}, START_MS)
afterAll(async () => {
  await host.close()
  await shared.close()
})

const lift = (project: Project) =>
  shared.sql`update projects set settings = settings || ${shared.sql.json({ concurrency: LIMITS.run_concurrency })}
    where id = ${project.id}`

const flood = async (project: Project, protocol: string, items: number) => {
  const agent_id = await project.deploy(behindUrl(host.url, {}, protocol))
  const body = '{"input":0}\n'.repeat(items)
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await project.ask(`/v1/batches?agent_id=${agent_id}`, { method: 'POST', body, headers })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { run_id: string }).run_id
}

const inFlight = async (account_id: string) => {
  const [row] = await shared.sql<{ n: number }[]>`
    select coalesce(sum(u.running), 0)::int as n from project_usage u join projects p on p.id = u.project_id
    where p.account_id = ${account_id}`
  return row!.n
}

it.each([
  ['one run of 20,000 items', 'ndjson', [20_000]],
  ['twelve runs of 4,000 items', 'ndjson', Array(12).fill(4000)],
  ['twelve runs of 4,000 items, each a request', 'json', Array(12).fill(4000)],
])(
  'of one account, %s that hang leave places to other accounts',
  async (what, protocol, runs) => {
    const attacker = await shared.tenant()
    await lift(attacker)
    const run_ids: string[] = []
    for (const items of runs) run_ids.push(await flood(attacker, protocol, items))
    // The attack has arrived: it holds more than half of all places.
    await eventually(async () => expect(await inFlight(attacker.account_id)).toBeGreaterThan(MOST / 2))
    const measured = await shared.measure()
    const held = await inFlight(attacker.account_id)
    printMeasured(`beside ${what} (${held} in flight, ${host.open()} requests open)`, measured)
    expect(held).toBeGreaterThan(MOST / 2)
    expect(held).toBeLessThan(MOST)
    expect(host.open()).toBeGreaterThan(0)
    expectUndisturbed(measured)
    for (const run_id of run_ids) await attacker.cancel(run_id)
    await eventually(async () => expect(await inFlight(attacker.account_id)).toBe(0))
  },
  300_000,
)
