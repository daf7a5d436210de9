// A tenant with a large run repeats its costliest reads, six at a time, and lists agents as large as they may be:
// another account's single item takes no longer than next to any other work.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import {
  behindUrl,
  expectUndisturbed,
  type Project,
  printMeasured,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

const ITEMS = Number(process.env.HOSTILE_ITEMS ?? 500_000)
const AT_ONCE = 6

let shared: Shared
let tenant: Project
let run_id: string
beforeAll(async () => {
  shared = await startShared()
  await shared.measure(20) // its code is compiled by then
  printMeasured('alone', await shared.measure())
  tenant = await shared.tenant()
  const agent_id = await tenant.deploy(behindUrl('http://127.0.0.1:9/'))
  run_id = await largeRun(agent_id)
}, 2 * START_MS)
afterAll(() => shared.close())

async function largeRun(agent_id: string): Promise<string> {
  const { sql, ctx } = shared
  const id = ctx.newRunId()
  const counts = { total_items: ITEMS, ok: ITEMS, next_seq: ITEMS + 1 }
  await sql`insert into runs ${sql({ id, project_id: tenant.id, agent_id, ...counts, finished_at: new Date() })}`
  const input = JSON.stringify('an input as many are '.repeat(10))
  for (let first = 1; first <= ITEMS; first += 50_000)
    await sql`
      insert into items (project_id, run_id, seq, line, status, outcome, item_id, input, output, attempt, completed_at)
      select ${tenant.id}, ${id}, n, n, 'completed', 'ok', 'item ' || n, ${input}, ${input}, 1, now()
      from generate_series(${first}::int, ${Math.min(ITEMS, first + 49_999)}::int) n`
  await sql`analyze items`
  return id
}

/** Reads these paths in turn until the work is done; returns its result, and the statuses of the answers. */
async function besideReads<T>(paths: readonly string[], work: () => Promise<T>): Promise<[T, number[]]> {
  const over = new AbortController()
  const statuses: number[] = []
  const asking = Array.from({ length: AT_ONCE }, async (_, i) => {
    for (let n = i; !over.signal.aborted; n++) {
      try {
        const headers = { accept: 'application/x-ndjson' }
        const answer = await tenant.ask(paths[n % paths.length]!, { headers, signal: over.signal })
        for await (const _ of answer.body ?? []);
        statuses.push(answer.status)
      } catch (error) {
        if (!over.signal.aborted) throw error
      }
    }
  })
  const done = await work().finally(() => over.abort())
  await Promise.all(asking)
  return [done, statuses]
}

it(`six reads at once of a run of ${ITEMS} items disturb no neighbour`, async () => {
  const [measured, statuses] = await besideReads(
    [
      `/v2/runs/${run_id}/verify`,
      '/v1/durable/runs',
      `/v2/runs/${run_id}/compare?with=${run_id}`,
      '/v1/steps?q=nothing+like+it',
      `/v1/results?run_id=${run_id}`,
      `/v2/runs/${run_id}/verify`,
    ],
    () => shared.measure(),
  )
  printMeasured(`beside ${AT_ONCE} heavy reads of ${ITEMS} items (${statuses.join()} meanwhile)`, measured)
  // A read that waits too long for its turn is answered so; none is answered that something is broken.
  expect(statuses.filter(status => status !== 200 && status !== 429)).toEqual([])
  expectUndisturbed(measured)
}, 600_000)

it('lists of thirty agents with configurations as large as they may be disturb no neighbour', async () => {
  const config = { text: 'x'.repeat(LIMITS.configuration_bytes - 100) }
  for (let i = 0; i < 30; i++) {
    const id = await tenant.deploy(behindUrl('http://127.0.0.1:9/', { description: 'y'.repeat(4000) }))
    const answer = await tenant.ask(`/v1/agents/${id}`, { method: 'PATCH', body: JSON.stringify({ config }) })
    expect(answer.status).toBe(200)
  }
  const tooLarge = await tenant.ask('/v1/agents', {
    method: 'POST',
    body: JSON.stringify({
      project_id: tenant.id,
      slug: 'big',
      name: 'x'.repeat(LIMITS.configuration_bytes),
    }),
  })
  expect([400, 413]).toContain(tooLarge.status)
  const before = shared.memory()
  const [measured, statuses] = await besideReads(['/v1/agents'], () => shared.measure())
  const grown = Math.round((shared.memory() - before) / 1e6)
  printMeasured(
    `beside lists of 30 agents of 256 KiB (${statuses.length} answered, ${grown} MB more)`,
    measured,
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  expectUndisturbed(measured)
}, 300_000)
