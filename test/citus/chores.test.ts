// Tests the chores of the tick for projects on different nodes.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { newId } from '../../shared/kernel/ids.ts'
import { setDeadline } from '../../shared/schedules/verbs/deadlines.ts'
import { createSchedule } from '../../shared/schedules/verbs/schedules.ts'
import { sourcesRead } from '../../shared/sources/verbs/source-reader.ts'
import { sweep } from '../../shared/upkeep/verbs/sweep.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { type MadeProject, makeProjects } from '../support/many-projects.ts'
import { startReceiver } from '../support/receiver.ts'

let engine: TestEngine
let onEach: MadeProject[]
const parts = new AsyncDisposableStack()

beforeAll(async () => {
  engine = parts.adopt(await testEngine(), one => one.close())
  const made = { databaseUrl: engine.urls.databaseUrl, base_url: 'http://127.0.0.1' }
  const projects = await makeProjects(made, 12, () => 'http://played')
  onEach = inject('workers').map(node => projects.find(({ port }) => port === node.port)!)
})
afterAll(() => parts.disposeAsync())

const DAY_MS = 24 * 3600 * 1000

/** An ended run with an item and a step that is not indexed yet. */
async function oldRun({ id: project_id, agent_id }: MadeProject, days: number, of = agent_id) {
  const { sql } = engine
  const at = Date.now() - days * DAY_MS
  const random = newId(at, bytes => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))
  const run_id = `${random.slice(0, 28)}00000000`
  const ended = { started_at: new Date(at), finished_at: new Date(at), total_items: 1, next_seq: 2, ok: 1 }
  await sql`insert into runs ${sql({ id: run_id, project_id, agent_id: of, ...ended })}`
  const key = { project_id, run_id, seq: 1 }
  const item = {
    line: 1,
    status: 'completed',
    outcome: 'ok',
    item_id: 'one',
    input: '{"secret":1}',
    output: '2',
  }
  await sql`insert into items ${sql({ ...key, ...item })}`
  const call = {
    kind: 'llm_call',
    outcome: 'degraded',
    outcome_reason: 'refusal',
    model: 'a-model',
    cost_micro: 1,
  }
  const place = { started_at: new Date(at), duration_ms: 1, key: 'call', name: 'call' }
  await sql`insert into steps ${sql({ ...key, step_no: 1, attempt: 1, ...call, ...place })}`
  return run_id
}

const count = async (table: string, { id }: MadeProject, more = engine.sql``) =>
  (await engine.sql`select count(*)::int as n from ${engine.sql(table)} where project_id = ${id} ${more}`)[0]!
    .n as number

/** Sweeps until nothing is left to do; returns the chores that fail. */
async function sweepAll(): Promise<string[]> {
  const ctx = { ...engine.ctx } // what is open is looked at once a minute by a host: this is another one
  const before = engine.log.length
  await sweep(ctx)
  await sweep(ctx)
  await sourcesRead(ctx)
  await sweep({ ...ctx })
  return engine.log.slice(before).filter(line => line.includes('chore_failed'))
}

it('the chores of the tick do the work of projects on every node', async () => {
  const { ctx, sql } = engine
  expect(await sweepAll()).toEqual([])
  // Once a year, in the minute that has started.
  const due = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const minute = due.getUTCMinutes()
  const day = `${due.getUTCHours()} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`
  const source = parts.adopt(await startReceiver(), one => one.close())
  source.answer = response => response.end('{"row":1}\n{"row":2}\n')
  for (const project of onEach) {
    const { id: project_id, agent_id } = project
    const order = {
      project_id,
      agent_id,
      cron: `${minute} ${day}`,
      timezone: 'UTC',
      enabled: true,
      declared: false,
    }
    const settings = { name: null, input: '7', budget_cents: null, timeout_seconds: null }
    const id = await createSchedule(ctx, { ...order, ...settings, source: null, callback_url: null })
    const sourced = {
      ...order,
      cron: `${minute}-${minute} ${day}`,
      source: { url: source.url, format: 'ndjson' as const },
    }
    await createSchedule(ctx, { ...settings, ...sourced, input: 'null', callback_url: null })
    const deadline = { project_id, agent_id, finished_by: '06:00', timezone: 'UTC' }
    await setDeadline(ctx, { ...deadline, schedule_id: null })
    await setDeadline(ctx, { ...deadline, schedule_id: id })
    const doomed = ctx.newId()
    await sql`insert into agents ${sql({ id: doomed, project_id, name: 'doomed', slug: 'doomed' })}`
    const run_id = await oldRun(project, 1)
    await sql`insert into suspected_items ${sql({ project_id, run_id, seq: 1 })}`
    await oldRun(project, 40)
    await oldRun(project, 1, doomed)
    await sql`update agents set deleted_at = now() where id = ${doomed}`
    await sql`update projects set settings = settings || '{"record_retention_days": 30, "payload_retention_days": 20}'
      where id = ${project_id}`
  }
  await sql`update deadlines set due_at = now() - interval '1 second' where schedule_id is null`
  await sql`update schedules set next_at = ${due}`

  expect(await sweepAll()).toEqual([])
  const state = async (project: MadeProject) => ({
    fired: await count('occurrences', project, sql`and outcome = 'fired'`),
    opened: await count('runs', project, sql`and finished_at is null`),
    kept: await count('runs', project, sql`and finished_at is not null`),
    indexed: await count('step_index', project),
    errors: await count('run_step_errors', project),
    calls: await count('model_calls', project),
    alerts: await count('alerts', project, sql`and rule = 'not_finished'`),
    purges: await count('purges', project),
    questions: await count('triage', project, sql`and lane = 'review'`),
  })
  const done = {
    fired: 2,
    opened: 2,
    kept: 1,
    indexed: 1,
    errors: 1,
    calls: 2,
    alerts: 1,
    purges: 0,
    questions: 1,
  }
  for (const project of onEach) expect(await state(project)).toEqual(done)
  expect(await sql`select from agents where slug = 'doomed'`).toHaveLength(0)
})
