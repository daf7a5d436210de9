// Admission is written twice, as a rule in TypeScript and as SQL. Both must say the same about the same rows.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  HAS_ROOM,
  IS_OPEN,
  IS_SERVED,
  PROJECT_ROOM,
  RUN_ROOM,
  runsWithCaps,
} from '../../../shared/claims/queries/admission.ts'
import { findOpenRuns } from '../../../shared/claims/queries/open-runs.ts'
import { readRun } from '../../../shared/claims/queries/run-facts.ts'
import { admit } from '../../../shared/claims/rules/admission.ts'
import { admissionFacts } from '../../../shared/claims/verbs/claim.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { countBacklog } from '../../../shared/upkeep/queries/backlog.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
let runId: string
beforeAll(async () => {
  engine = await testEngine()
  runId = await engine.submit(1)
})
afterAll(() => engine.close())

const few = fc.integer({ min: 0, max: 4 })
const cap = fc.option(fc.integer({ min: 1, max: 20 }))
const spent = fc.constantFrom(0, 1, 99, 100, 101, 1_000)
const limit = fc.constantFrom(100, 1_000, 30_000, 200_000)
const bound = fc.option(limit)
/** Flags that hold back a whole run are rare, so that the other rules get to decide too. */
const rarely = fc.constantFrom(true, ...Array<false>(11).fill(false))

const state = fc.record({
  run: fc.record({
    concurrency: cap,
    running: few,
    ok: few,
    failed: few,
    paused: few,
    queued: few,
    pilot_items: cap,
    budget_micro: bound,
    cost_micro: spent,
    waits_for_price: rarely,
    stop_reason: rarely.map(is => (is ? 'cancelled' : null)),
  }),
  project: fc.record({ concurrency: cap, credit_micro: bound }),
  usage: fc.record({ running: fc.integer({ min: 0, max: 8 }), spent_micro: spent }),
  budgets: fc.uniqueArray(
    fc.record({
      of_agent: fc.boolean(),
      period: fc.constantFrom('day', 'month'),
      limit_micro: limit,
      spent_micro: spent,
    }),
    { maxLength: 2, selector: budget => `${budget.of_agent} ${budget.period}` },
  ),
  declaration: fc.record(
    { concurrency: fc.integer({ min: 1, max: 6 }), item_budget_cents: fc.constantFrom(0, 0.01, 1, 2.5) },
    { requiredKeys: [] },
  ),
  is_suspended: rarely,
  is_deleted: rarely,
  lacks_deployment: rarely,
  is_held: rarely,
})
type State = typeof state extends fc.Arbitrary<infer S> ? S : never

async function put({ run, project, usage, budgets, declaration, ...flags }: State): Promise<void> {
  const { sql, project_id, agent_id } = engine
  const { queued, ...columns } = run
  const total_items = run.running + run.ok + run.failed + run.paused + queued
  const { concurrency, credit_micro } = project
  await sql.begin(async tx => {
    await tx`update runs set ${tx({ ...columns, total_items, deployment_id: null })} where id = ${runId}`
    await tx`update project_usage set ${tx({ ...usage, spend_day: '2026-11-23' })} where project_id = ${project_id}`
    await tx`update projects set credit_micro = ${credit_micro},
      settings = ${tx.json(concurrency === null ? {} : { concurrency })},
      account_id = ${flags.is_deleted ? null : tx`(select id from accounts limit 1)`} where id = ${project_id}`
    await tx`update accounts set status = ${flags.is_suspended ? 'suspended' : 'active'}`
    await tx`update deployments set declaration = ${tx.json({ name: 'played', ...declaration })}`
    await tx`update agents set current_deployment_id =
      ${flags.lacks_deployment ? null : tx`(select id from deployments where agent_id = ${agent_id} limit 1)`}`
    await tx`update installation set held_since = ${flags.is_held ? tx`now()` : null}`
    await tx`delete from budgets`
    for (const { of_agent, ...budget } of budgets)
      await tx`insert into budgets ${tx({ ...budget, project_id, agent_id: of_agent ? agent_id : null })}`
  })
}

async function sqlSays() {
  const { sql } = engine
  const [row] = await sql<{ room: number; served: boolean; open: boolean; has_room: boolean }[]>`
    select greatest(0, least(${LIMITS.claim_items}, ${sql.unsafe(PROJECT_ROOM)}, ${sql.unsafe(RUN_ROOM)}))::int as room,
      ${sql.unsafe(IS_SERVED)} as served, ${sql.unsafe(IS_OPEN)} as open, ${sql.unsafe(HAS_ROOM)} as has_room
    from ${sql.unsafe(runsWithCaps())} where r.id = ${runId}`
  return row!
}

it('SQL admits as many items of a run as the rule in TypeScript, whatever its rows say', async () => {
  const met = new Set<string>()
  for (const given of fc.sample(state, { numRuns: 400, seed: 7 })) {
    await put(given)
    const run = (await readRun(engine.sql, engine.key(runId)))!
    const facts = admissionFacts(run)
    const { room, waiting_for } = admit(facts)
    met.add(waiting_for ?? 'nothing')
    const { served, open, has_room, room: byRows } = await sqlSays()
    expect(served && open ? byRows : 0, JSON.stringify(given)).toBe(room)
    if (room > 0) expect(has_room, JSON.stringify(given)).toBe(true)
    if (waiting_for === 'run_cap' || waiting_for === 'project_cap' || waiting_for === 'pilot')
      expect(has_room, JSON.stringify(given)).toBe(false)
    const { startable } = await countBacklog(engine.sql)
    expect(startable, JSON.stringify(given)).toBe(Math.min(room, run.queued))
    if (room > 0 && given.run.queued > 0) expect(await findOpenRuns(engine.sql, 1)).toHaveLength(1)
  }
  // Each rule decided at least once.
  expect([...met].sort()).toEqual(
    [
      ...['budget', 'credit', 'held', 'no_deployment', 'nothing', 'period_budget', 'pilot', 'price'],
      ...['project_cap', 'run_cap', 'stopped', 'suspended'],
    ].sort(),
  )
})
