// Removals that happen in pieces, however large: runs of a deleted project, runs past their retention, and a submission
// of a million lines that stopped arriving. An item of another project runs in between.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { ensureStepPartitions } from '../../shared/upkeep/queries/partitions.ts'
import { removeAbandoned, removeDeleted } from '../../shared/upkeep/verbs/removal.ts'
import { retain } from '../../shared/upkeep/verbs/retention.ts'
import { sweep } from '../../shared/upkeep/verbs/sweep.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'

const RUNS = 20_000
const LINES = 1_000_000
const DAY_MS = 24 * 3600 * 1000
/** The goal is 1,000 on a machine of two quiet cores; tests run where others work as well. */
const RUNS_PER_SECOND = 150

let engine: TestEngine
let doomed: string
beforeEach(async () => {
  engine = await testEngine()
  await engine.deploy()
  const { ctx, sql } = engine
  doomed = ctx.newId()
  await sql`insert into projects (id, account_id, name) select ${doomed}, account_id, 'doomed' from projects limit 1`
  await sql`insert into project_usage ${sql({ project_id: doomed })}`
})
afterEach(() => engine.close())

/** Runs of one item that ended so many days ago, each with a step, its search entry and its idempotency key. */
async function smallRuns(days: number): Promise<void> {
  const { ctx, sql } = engine
  const agent_id = ctx.newId()
  await sql`insert into agents ${sql({ id: agent_id, project_id: doomed, name: 'doomed', slug: 'doomed' })}`
  const at = new Date(Date.now() - days * DAY_MS)
  await ensureStepPartitions(sql, at.getTime())
  const prefix = at.getTime().toString(16).padStart(12, '0')
  await sql`
    insert into runs (id, project_id, agent_id, total_items, next_seq, ok, cost_micro, created_at, started_at, finished_at)
    select (${prefix} || lpad(to_hex(n), 12, '0') || '00000000')::uuid, ${doomed}, ${agent_id}, 1, 2, 1, 1, ${at}, ${at}, ${at}
    from generate_series(1, ${RUNS}::int) n`
  await sql`
    insert into items (project_id, run_id, seq, line, status, outcome, item_id, input, output, cost_micro)
    select project_id, id, 1, 1, 'completed', 'ok', 'i1', '{"a":1}', '2', 1 from runs where project_id = ${doomed}`
  await sql`
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, cost_micro, started_at, duration_ms, key, name)
    select project_id, id, 1, 1, 1, 'step', 'ok', 1, ${at}, 1, 'k', 'needle' from runs where project_id = ${doomed}`
  await sql`
    insert into idempotency_keys (project_id, key, fingerprint, run_id)
    select project_id, id::text, 'f', id from runs where project_id = ${doomed}`
  while ((await indexSteps(sql, 5000)) > 0); // steps that are not counted yet are not removed
  await sql`analyze`
}

const left = async (table: string) =>
  (await engine.sql`select count(*)::int as n from ${engine.sql(table)} where project_id = ${doomed}`)[0]!
    .n as number

/** Does the chore until nothing is left, with an item of another project in between; returns runs per second. */
async function removeAll(what: string, chore: () => Promise<number>): Promise<number> {
  let [turns, busy_ms, longest_ms, waited_ms] = [0, 0, 0, 0]
  for (let found = 1; found > 0; turns++) {
    const began = performance.now()
    found = await chore()
    const took_ms = performance.now() - began
    busy_ms += took_ms
    longest_ms = Math.max(longest_ms, took_ms)
    const asked = performance.now()
    const other = await engine.submit(1)
    await consume(engine.ctx)
    expect((await engine.run(other)).status).toBe('completed')
    waited_ms = Math.max(waited_ms, performance.now() - asked)
  }
  const rate = Math.round(RUNS / (busy_ms / 1000))
  console.info(
    `${what}: ${RUNS} runs of one item in ${Math.round(busy_ms)} ms, ${rate} a second, and ${turns} turns of a tick; the longest took ${Math.round(longest_ms)} ms, another project's item ${Math.round(waited_ms)} ms at most`,
  )
  return rate
}

it('20,000 small runs of a deleted project are removed many at a time', { timeout: 600_000 }, async () => {
  await smallRuns(0)
  await engine.sql`update projects set account_id = null where id = ${doomed}`
  const rate = await removeAll('deleted', () => removeDeleted(engine.ctx))
  expect(await engine.sql`select from projects where id = ${doomed}`).toEqual([])
  for (const table of ['runs', 'items', 'steps', 'idempotency_keys']) expect(await left(table)).toBe(0)
  expect(rate).toBeGreaterThan(RUNS_PER_SECOND)
})

it('20,000 small runs past their retention are removed many at a time', { timeout: 600_000 }, async () => {
  await smallRuns(40)
  await engine.sql`update projects set settings = '{"record_retention_days": 30}' where id = ${doomed}`
  const rate = await removeAll('expired', () => retain(engine.ctx))
  for (const table of ['runs', 'items', 'steps', 'purges']) expect(await left(table)).toBe(0)
  expect(rate).toBeGreaterThan(RUNS_PER_SECOND)
})

it('a submission of a million lines that stopped arriving is removed in turns, with the other chores in between', {
  timeout: 600_000,
}, async () => {
  const { ctx, sql, project_id, agent_id, log } = engine
  const run_id = ctx.newRunId()
  await sql`
    insert into runs (id, project_id, agent_id, materializing, touched_at)
    values (${run_id}, ${project_id}, ${agent_id}, true, now() - interval '1 hour')`
  await sql`
    insert into items (project_id, run_id, seq, line, status, item_id, input)
    select ${project_id}, ${run_id}, n, n, 'queued', 'i' || n, '{"text":"a line"}' from generate_series(1, ${LINES}::int) n`.timeout(
    300,
  )
  let [turns, longest_ms] = [0, 0]
  for (let found = 1; found > 0; turns++) {
    const began = performance.now()
    found = await removeAbandoned(ctx)
    longest_ms = Math.max(longest_ms, performance.now() - began)
    await sweep(ctx)
  }
  console.info(
    `${LINES} lines of a dead upload went in ${turns} turns, of ${Math.round(longest_ms)} ms at most`,
  )
  expect(turns).toBeGreaterThan(1)
  expect(await sql`select from items where run_id = ${run_id} limit 1`).toEqual([])
  expect(await sql`select from runs where id = ${run_id}`).toEqual([])
  // A turn ends with the statement in flight.
  expect(longest_ms).toBeLessThan(LIMITS.removal_ms + LIMITS.chore_ms)
  expect(log.filter(line => line.includes('"chore_late"'))).toEqual([])
})
