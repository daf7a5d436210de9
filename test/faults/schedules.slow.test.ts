// The process that ticks dies at each point of firing schedules: the next one fires each occurrence once.

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { body, startSource, ticketLines } from '../support/source.ts'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterAll(() => stack?.close())
afterEach(async () => {
  await stack.sql`delete from schedules`
  await stack.endProcesses()
  await stack.startControl()
})

const POINTS = ['fire.after_lock', 'fire.before_commit', 'fire.after_commit']

it.for(POINTS)('a tick killed at %s fires each occurrence once', { timeout: PATIENCE_MS }, async point => {
  const { sql } = stack
  const agentId = await stack.deploy()
  await stack.endProcesses()
  await sql`
    insert into schedules (id, project_id, agent_id, cron, input, next_at)
    select gen_random_uuid(), project_id, id, cron, '{"steps":0}', date_trunc('minute', now()) - interval '3 minutes'
    from agents, unnest(array['* * * * *', '*/1 * * * *', '0-59 * * * *']) cron where id = ${agentId}`
  await stack.startControl(`${point}=kill`)
  expect(await stack.gone(stack.control)).toBe('SIGKILL')
  await stack.startControl()
  await stack.startConsumer()
  await vi.waitFor(
    async () => {
      const [row] = await sql`select count(*)::int as n from schedules where next_at <= now()`
      expect(row!.n).toBe(0)
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )
  const [row] = await sql`
    select count(*)::int as rows, count(distinct (schedule_id, scheduled_for))::int as moments,
      count(*) filter (where outcome = 'fired')::int as fired, count(distinct run_id)::int as named,
      count(*) filter (where outcome = 'missed')::int as missed,
      (select count(*)::int from runs where agent_id = ${agentId}) as runs
    from occurrences o join schedules s on s.id = o.schedule_id where s.agent_id = ${agentId}`
  expect(row!.rows).toBe(row!.moments)
  expect(row!.rows).toBe(row!.fired + row!.missed)
  expect([row!.named, row!.runs]).toEqual([row!.fired, row!.fired])
  // Three occurrences before the newest, of each of three schedules; more if a minute passed meanwhile.
  expect(row!.missed).toBeGreaterThanOrEqual(9)
  expect(row!.fired).toBeGreaterThanOrEqual(3)
  const runs = await sql<{ id: string }[]>`select id from runs where agent_id = ${agentId}`
  for (const { id } of runs) expect(await stack.finished(id)).toMatchObject({ status: 'completed', ok: 1 })
})

it.for(['source.after_claim', 'submit.before_commit', 'source.before_commit'])(
  'a reader killed at %s is followed by another, which reads from the start, and only one run is opened [sources.one-run]',
  { timeout: PATIENCE_MS },
  async point => {
    const { sql } = stack
    const source = await startSource(body(ticketLines(5000).join('')))
    const agentId = await stack.deploy()
    await stack.endProcesses()
    const kept = { url: source.url, format: 'ndjson', item_id: 'id', partition_key: null, header_names: [] }
    await sql`
      insert into schedules (id, project_id, agent_id, cron, source, next_at)
      select gen_random_uuid(), project_id, id, to_char(now() at time zone 'UTC', 'FMMI FMHH24 FMDD FMMM *'), ${sql.json({ ...kept, headers_from_env: false })},
        date_trunc('minute', now())
      from agents where id = ${agentId}`
    await stack.startControl(`${point}=kill`)
    expect(await stack.gone(stack.control)).toBe('SIGKILL')
    await sql`update source_reads set due_at = now()` // its lease has expired
    await stack.startControl()
    await vi.waitFor(
      async () => {
        const [row] = await sql`
          select (select count(*)::int from occurrences where outcome = 'fired') as fired,
            (select count(*)::int from source_reads) as reads,
            (select count(*)::int from runs where agent_id = ${agentId}) as runs,
            (select max(total_items) from runs where agent_id = ${agentId}) as items`
        expect(row).toEqual({ fired: 1, reads: 0, runs: 1, items: 5000 })
      },
      { timeout: PATIENCE_MS, interval: 50 },
    )
    await source.close()
  },
)
