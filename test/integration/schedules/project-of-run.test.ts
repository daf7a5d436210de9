// Rows that an older version writes without a project get one, so that both versions can run at the same time.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { onCluster } from '../../support/on-cluster.ts'

/** Its coordinator refuses the row before a trigger sees it, and such a version does not run there. */
const WITHOUT = onCluster('a row without a project has no node')

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

it.skipIf(WITHOUT)(
  'rows of a run that are written without a project get the project of the run',
  async () => {
    const { sql, project_id } = engine
    const run_id = await engine.submit(1)
    const rows = [
      sql`insert into items (run_id, seq, line, status, item_id, input) values (${run_id}, 2, 2, 'queued', 'b', '1') returning project_id`,
      sql`insert into attempts (run_id, seq, attempt, code) values (${run_id}, 1, 1, 'gone') returning project_id`,
      sql`insert into due_items (run_id, seq, due_at) values (${run_id}, 1, now()) returning project_id`,
      sql`insert into purges (run_id, kind) values (${run_id}, 'steps') returning project_id`,
      sql`insert into replays (from_run_id, from_seq, run_id, seq) values (${run_id}, 1, ${run_id}, 2) returning project_id`,
      sql`insert into ended_runs (run_id) values (${run_id}) returning project_id`,
      sql`insert into suspected_items (run_id, seq) values (${run_id}, 1) returning project_id`,
      sql`insert into steps (run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
      values (${run_id}, 1, 1, 1, 'llm_call', 'ok', now(), 1, 'k', 'n') returning project_id`,
    ]
    for (const row of rows) expect([...(await row)]).toEqual([{ project_id }])
    // Written by the trigger of steps.
    expect([...(await sql`select project_id from unindexed_steps`)]).toEqual([{ project_id }])
  },
)

it.skipIf(WITHOUT)('a delivery try that is written without a project gets that of its delivery', async () => {
  const { sql, project_id } = engine
  const [delivery] = await sql`
    insert into deliveries (project_id, kind, url) values (${project_id}, 'run.digest', 'https://x.test/') returning id`
  const tries = await sql`
    insert into delivery_tries (delivery_id, try) values (${delivery!.id}, 1) returning project_id`
  expect([...tries]).toEqual([{ project_id }])
})

it.skipIf(WITHOUT)(
  'an item that is written before its run, by the statement of an occurrence, gets its project too',
  async () => {
    const { sql, project_id, agent_id } = engine
    const schedule_id = await createSchedule(engine.ctx, {
      project_id,
      agent_id,
      cron: '0 2 * * *',
      timezone: 'UTC',
      enabled: true,
      declared: false,
      name: null,
      source: null,
      input: '{}',
      budget_cents: 50,
      timeout_seconds: null,
      callback_url: null,
    })
    const run_id = engine.ctx.newRunId()
    await sql`
    with acted as (
      insert into occurrences (schedule_id, scheduled_for, project_id, outcome, run_id, tries)
      values (${schedule_id}, now(), ${project_id}, 'fired', ${run_id}, 1) returning run_id
    ), opened as (
      insert into runs (id, project_id, agent_id, total_items, input_bytes)
      select run_id, ${project_id}, ${agent_id}, 1, 2 from acted
    ), waiting as (
      insert into items (run_id, seq, line, status, item_id, input) select run_id, 1, 1, 'queued', 'a', '{}' from acted
    )
    select from acted`
    expect([...(await sql`select project_id from items where run_id = ${run_id}`)]).toEqual([{ project_id }])
  },
)
