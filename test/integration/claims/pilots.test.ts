// Runs of schedules whose first items, the pilot, run before the others.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findOpenRuns } from '../../../shared/claims/queries/open-runs.ts'
import { judgePilots } from '../../../shared/claims/verbs/pilots.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { fireDue } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { readSources } from '../../../shared/sources/verbs/source-reader.ts'
import { countBacklog } from '../../../shared/upkeep/queries/backlog.ts'
import { conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { body, startSource, type TestSource, ticketLines } from '../../support/source.ts'

let engine: TestEngine
let source: TestSource
beforeAll(async () => {
  engine = await testEngine({ clock: '2026-03-02T09:30:20Z' })
  source = await startSource(body(ticketLines(600).join('')))
})
afterAll(() => Promise.all([engine.close(), source.close()]))
beforeEach(async () => {
  for (const table of ['schedules', 'runs', 'items']) await engine.sql`delete from ${engine.sql(table)}`
})

/** Starts a run over 600 items with a pilot of so many. */
async function started(pilot_items: number): Promise<string> {
  const { ctx, sql, project_id, agent_id } = engine
  const id = await createSchedule(ctx, {
    project_id,
    agent_id,
    cron: '* * * * *',
    timezone: 'UTC',
    enabled: true,
    declared: false,
    name: 'nightly',
    input: 'null',
    budget_cents: null,
    timeout_seconds: null,
    callback_url: null,
    source: { url: source.url, format: 'ndjson', item_id: 'id', partition_key: 'tenant' },
    pilot_items,
  })
  await sql`update schedules set next_at = ${new Date('2026-03-02T09:30:00Z')} where id = ${id}`
  await fireDue(ctx)
  await readSources(ctx)
  await ctx.idle()
  const [row] = await sql<{ run_id: string }[]>`select run_id from occurrences where schedule_id = ${id}`
  return row!.run_id
}

const figures = async (runId: string) => {
  const { ok, degraded, running, total_items, status } = await engine.run(runId)
  return { ok, degraded, running, total_items, status }
}

it.each([
  ['in the order of the source', {}],
  ['with a cap for each partition', { partition_concurrency: 2 }],
])(
  "the other items of a run wait until its pilot has run and one of the pilot's items was ok, %s [schedules.pilot]",
  async (_, settings) => {
    await engine.sql`update projects set settings = ${engine.sql.json(settings)} where id = ${engine.project_id}`
    engine.play(items =>
      items.map(
        item => (item.seq === 2 ? { ...result(item), degraded: 'no answer' } : result(item)) as never,
      ),
    )
    const runId = await started(5)
    expect((await countBacklog(engine.sql)).startable).toBe(5)
    await consume(engine.ctx)
    expect(await figures(runId)).toMatchObject({ ok: 4, degraded: 1, total_items: 600, status: 'running' })
    expect(
      (await engine.items(runId)).filter(one => one.status === 'completed').map(one => one.item_id),
    ).toEqual(['T-1', 'T-2', 'T-3', 'T-4', 'T-5'])
    expect((await countBacklog(engine.sql)).startable).toBe(0)
    expect(await judgePilots(engine.ctx)).toBe(1)
    expect(await judgePilots(engine.ctx)).toBe(0)
    await consume(engine.ctx)
    expect(await figures(runId)).toMatchObject({ ok: 599, degraded: 1, status: 'partial' })
    expect(await conservation(engine, runId)).toEqual([])
    await engine.sql`update projects set settings = '{}' where id = ${engine.project_id}`
  },
)

it('a run stops if no item of its pilot was ok, and its other items are cancelled without being started [schedules.pilot]', async () => {
  engine.play(items => items.map(item => ({ ...result(item), degraded: 'no answer' }) as never))
  const runId = await started(5)
  await consume(engine.ctx)
  expect(await judgePilots(engine.ctx)).toBe(1)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({
    degraded: 5,
    cancelled: 595,
    status: 'failed',
    stop_reason: 'pilot_failed',
  })
  const [last] = (await engine.items(runId)).slice(-1)
  expect(last).toMatchObject({
    status: 'cancelled',
    error_message: 'None of the first items of the run was ok, so this one was not started.',
  })
  expect(await conservation(engine, runId)).toEqual([])
})

it('a run whose pilot has all its items runs to its end, and nothing is judged', async () => {
  const runId = await started(600)
  engine.play(items => items.map(item => result(item)))
  expect(await judgePilots(engine.ctx)).toBe(0)
  await consume(engine.ctx)
  expect(await figures(runId)).toMatchObject({ ok: 600, status: 'completed' })
  expect(await judgePilots(engine.ctx)).toBe(0)
})

it('no item beyond the pilot starts when all items are due at once, as after a daily budget [schedules.pilot]', async () => {
  const runId = await started(5)
  await engine.sql`insert into due_items (project_id, run_id, seq, due_at)
    select project_id, ${runId}, seq, now() - interval '1 minute' from items where run_id = ${runId} and seq <= 100`
  engine.play(items => items.map(item => result(item)))
  await consume(engine.ctx)
  expect(await figures(runId)).toMatchObject({ ok: 5, running: 0, status: 'running' })
  // Until its pilot is judged, the poll does not return the run either: it would displace runs of others for nothing.
  expect(await findOpenRuns(engine.sql, 10)).toEqual([])
  await judgePilots(engine.ctx)
  await consume(engine.ctx)
  expect(await figures(runId)).toMatchObject({ ok: 600, status: 'completed' })
  expect(await conservation(engine, runId)).toEqual([])
})
