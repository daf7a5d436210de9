// The search index of steps and the counts next to it, compared with a recount of the steps themselves.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { searchSteps } from '../../../shared/traces/queries/search.ts'
import { countErrorCategories } from '../../../shared/traces/queries/step-errors.ts'
import { indexSteps } from '../../../shared/traces/queries/step-index.ts'
import { catchUpSearch, indexNewSteps } from '../../../shared/traces/verbs/index-steps.ts'
import { retain } from '../../../shared/upkeep/verbs/retention.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.parse('2027-03-03T12:00:00Z')

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
  engine.ctx.now = () => NOW
})
afterEach(() => engine.close())

/** An ended run with nothing in it. */
async function emptyRun(ageDays = 0): Promise<string> {
  const { sql, project_id, agent_id } = engine
  const random = newId(NOW - ageDays * DAY_MS, bytes =>
    crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  )
  const id = `${random.slice(0, 28)}00000000`
  const times = { started_at: new Date(NOW), finished_at: new Date(NOW) }
  await sql`insert into runs ${sql({ id, project_id, agent_id, ...times })}`
  return id
}

/** Steps that began at these times, each of another kind than the one before. */
async function write(run_id: string, times: string[], more: object = {}): Promise<void> {
  const kinds = [
    { outcome: 'failed', error_code: 'tool_call_error', kind: 'tool_call', name: 'ask_warehouse' },
    { outcome: 'ok', error_code: null, kind: 'llm_call', name: 'draft' },
    { outcome: 'failed', error_code: 'step_timeout', kind: 'llm_call', name: 'draft' },
    { outcome: 'degraded', error_code: null, kind: 'llm_call', name: 'draft', outcome_reason: 'refusal' },
  ]
  const rows = times.map((started_at, i) => ({
    project_id: engine.project_id,
    run_id,
    seq: 1 + (i % 7),
    step_no: 1 + i,
    attempt: 1,
    duration_ms: 1,
    key: 'k',
    outcome_reason: null,
    ...kinds[i % kinds.length],
    ...more,
    started_at: engine.sql`${started_at}::text::timestamptz`,
  }))
  for (const { started_at, ...row } of rows)
    await engine.sql`insert into steps ${engine.sql({ ...row, started_at: new Date(0) })}`.then(
      () => engine.sql`
        update steps set started_at = ${started_at}
        where project_id = ${engine.project_id} and run_id = ${run_id} and step_no = ${row.step_no}`,
    )
}

const spread = (hours: number, count: number, fromMs = NOW) =>
  Array.from({ length: count }, (_, i) =>
    new Date(fromMs + Math.floor((i * hours * HOUR_MS) / count)).toISOString(),
  )

const counted = (range: { from?: string; to?: string } = {}) =>
  countErrorCategories(engine.sql, { project_ids: [engine.project_id], limit: 100, ...range })

async function recounted({ from, to }: { from?: string; to?: string } = {}) {
  return engine.sql`
    select s.outcome, s.error_code, case when s.kind = 'tool_call' then s.name end as tool_name, s.outcome_reason,
      count(*)::bigint as steps, max(s.started_at) as last_at
    from steps s join runs r on r.project_id = s.project_id and r.id = s.run_id
    where r.project_id = ${engine.project_id} and s.outcome <> 'ok' and r.steps_purged_at is null
      and s.started_at >= ${from ?? '-infinity'}::text::timestamptz
      and s.started_at < ${to ?? 'infinity'}::text::timestamptz
    group by 1, 2, 3, 4 order by steps desc, 2, 3, 4`
}

async function expectExact(range: { from?: string; to?: string } = {}): Promise<number> {
  const [{ total_steps, categories }, rows] = [await counted(range), await recounted(range)]
  expect([range, categories]).toEqual([range, [...rows]])
  expect(total_steps).toBe(rows.reduce((sum, row) => sum + row.steps, 0))
  return total_steps
}

describe('steps that did not work', () => {
  it('are counted exactly in any range of time, whole hours or not', async () => {
    const run = await emptyRun()
    const edges = ['2027-03-03T13:00:00Z', '2027-03-03T12:59:59.999999Z', '2027-03-03T14:00:00.000001Z']
    await write(run, [...spread(4, 60), ...edges, ...edges, ...edges, ...edges])
    await indexSteps(engine.sql, 1000)
    expect(await expectExact()).toBe(54)
    const moments = [
      '2027-03-03T12:00:00Z',
      '2027-03-03T12:10:00Z',
      '2027-03-03T12:59:59.999999Z',
      '2027-03-03T13:00:00Z',
      '2027-03-03T14:00:00.000001Z',
      '2027-03-03T16:20:00+01:30',
      '2027-03-03T15:10:00.5Z',
      '2027-03-03T18:00:00Z',
    ]
    for (const from of moments) {
      await expectExact({ from })
      await expectExact({ to: from })
      for (const to of moments) if (Date.parse(from) <= Date.parse(to)) await expectExact({ from, to })
    }
  })

  it('are counted once, however often they are queued for the index and whoever indexes them', async () => {
    const run = await emptyRun()
    await write(run, spread(2, 40))
    const again = () => engine.sql`
      insert into unindexed_steps (project_id, run_id, seqs, step_nos)
      select project_id, run_id, array_agg(seq), array_agg(step_no) from steps group by project_id, run_id, step_no % 5`
    await again()
    await Promise.all([1, 2, 3, 4].map(() => indexSteps(engine.sql, 7)))
    await again()
    while ((await indexSteps(engine.sql, 7)) > 0);
    expect(await expectExact()).toBe(30)
  })

  it('are queued again if indexing them was interrupted', async () => {
    const { sql } = engine
    await write(await emptyRun(), spread(2, 8))
    const indexing = await sql.begin(async tx => {
      await tx`lock table run_step_errors in access exclusive mode`
      const cut = indexSteps(sql, 1000).catch(error => error)
      for (let waiting = 0; waiting === 0; ) {
        const found = await tx`
          select pg_cancel_backend(pid) from pg_locks
          where not granted and relation = 'run_step_errors'::regclass`
        waiting = found.length
      }
      return cut
    })
    expect(indexing).toBeInstanceOf(Error)
    expect((await counted()).total_steps).toBe(0)
    expect(await indexSteps(sql, 1000)).toBe(8)
    await expectExact()
  })

  it('are not counted once retention has decided to remove them, and the last time is that of the remaining steps', async () => {
    const [old, recent] = [await emptyRun(40), await emptyRun(10)]
    // The older run has the later steps of an hour it shares with the younger one.
    await write(old, spread(1, 20, NOW + 30 * 60_000))
    await write(recent, spread(1, 20))
    await indexSteps(engine.sql, 1000)
    expect(await expectExact()).toBe(30)
    await engine.sql`update projects set settings = settings || '{"step_retention_days": 30}'`
    await sweep(engine.ctx)
    expect(await expectExact()).toBe(15)
    await expectExact({ from: '2027-03-03T12:30:00Z', to: '2027-03-03T13:30:00Z' })
    await engine.sql`update projects set settings = settings || '{"record_retention_days": 5}'`
    await sweep(engine.ctx)
    expect(await expectExact()).toBe(0)
    expect(await engine.sql`select from project_step_errors`).toHaveLength(0)
  })

  it('keep their run from being purged until they are indexed', async () => {
    const { sql, ctx } = engine
    const old = await emptyRun(40)
    await write(old, spread(1, 8))
    await sql`update projects set settings = settings || '{"step_retention_days": 30}'`
    await retain(ctx)
    expect((await engine.run(old)).steps_purged_at).toBeNull()
    await indexNewSteps(ctx)
    await retain(ctx)
    expect((await engine.run(old)).steps_purged_at).toBeInstanceOf(Date)
    expect(await expectExact()).toBe(0)
  })

  it('leave no count behind when their project is deleted', async () => {
    const { sql, ctx, project_id } = engine
    await write(await emptyRun(), spread(1, 8))
    await indexNewSteps(ctx)
    await sql`update projects set account_id = null where id = ${project_id}`
    for (let i = 0; i < 3; i++) await sweep(ctx)
    for (const table of ['projects', 'run_step_errors', 'project_step_errors', 'step_index'])
      expect([table, (await sql`select from ${sql(table)}`).length]).toEqual([table, 0])
  })
})

describe('the index of steps', () => {
  it('takes a bounded number of steps at a time, in the order of their flushes', async () => {
    const { sql } = engine
    const run = await emptyRun()
    await write(run, spread(1, 9))
    expect(await indexSteps(sql, 4)).toBe(4)
    const [row] = await sql`select max(step_no) as last from step_index`
    expect(row!.last).toBe(4)
    // A large flush is indexed in parts.
    await sql`
      insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
      select ${engine.project_id}, ${run}, 1, 100 + g, 1, 'step', 'failed', now(), 1, 'k', 'n' from generate_series(1, 10) g`
    const taken: number[] = []
    do taken.push(await indexSteps(sql, 4))
    while (taken.at(-1)! > 0)
    expect(taken.reduce((sum, steps) => sum + steps)).toBe(15)
    expect(Math.max(...taken)).toBeLessThan(8)
    expect(await sql`select from step_index`).toHaveLength(19)
    await expectExact()
  })

  it('waits while items are in flight, except for one share of a tick per index_wait_ms', async () => {
    const { sql, ctx, project_id } = engine
    const run = await emptyRun()
    for (let flush = 0; flush < 4; flush++)
      await sql`
        insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
        select ${project_id}, ${run}, g, ${flush}, 1, 'step', 'ok', now(), 1, 'k', 'n' from generate_series(1, ${LIMITS.index_slice_steps}) g`
    const claim = { run_id: run, project_id, seqs: [1], attempts: [1], lease_until: new Date(NOW) }
    await sql`insert into claims ${sql(claim)}`
    let now = NOW
    ctx.now = () => (now += LIMITS.index_ms) // a slice takes the whole share, by this clock
    expect(await indexNewSteps(ctx)).toBe(LIMITS.index_slice_steps)
    expect(await indexNewSteps(ctx)).toBe(0)
    now += LIMITS.index_wait_ms
    expect(await indexNewSteps(ctx)).toBe(LIMITS.index_slice_steps)
    expect(await indexNewSteps(ctx)).toBe(0)
    await sql`update claims set answer_until = now()`
    ctx.now = () => now
    expect(await indexNewSteps(ctx)).toBe(2 * LIMITS.index_slice_steps)
    await write(run, spread(1, 4), { step_no: 99 })
    await sql`update claims set answer_until = null`
    expect(await indexNewSteps(ctx)).toBe(0) // new work after a rest
    now += LIMITS.index_wait_ms
    expect(await indexNewSteps(ctx)).toBe(4)
  })

  it('waits while another statement is under way, except for its share', async () => {
    const { sql, ctx } = engine
    const run = await emptyRun()
    await write(run, spread(1, 4))
    await sql.begin(async tx => {
      await tx`lock table members in access exclusive mode`
      const waiting = sql`select from members`.execute()
      for (let found = 0; found === 0; )
        found = (await tx`select from pg_locks where not granted and relation = 'members'::regclass`).length
      expect(await indexNewSteps(ctx)).toBe(4) // its share
      await write(run, spread(1, 2), { step_no: 99 })
      expect(await indexNewSteps(ctx)).toBe(0)
      return { waiting }
    })
  })

  it('skips steps whose run was removed meanwhile', async () => {
    const run = await emptyRun()
    await write(run, spread(1, 4))
    await engine.sql`delete from steps where step_no < 3`
    await engine.sql`delete from runs`
    expect(await indexSteps(engine.sql, 100)).toBe(4)
    expect(await engine.sql`select from step_index`).toHaveLength(0)
  })

  it('finds whole words in any case, also within one item', async () => {
    const { sql, ctx, project_id } = engine
    const run = await emptyRun()
    const item = { project_id, run_id: run, line: 1, status: 'completed', outcome: 'ok', input: '1' }
    for (const seq of [1, 2]) await sql`insert into items ${sql({ ...item, seq, item_id: `i${seq}` })}`
    await write(run, [new Date(NOW).toISOString()], { name: '!?', input: '{"host":"db-7.example.com"}' })
    await catchUpSearch(ctx)
    const find = async (q: string, seq: number) => {
      const search = {
        project_ids: [project_id],
        sort: 'recent',
        limit: 9,
        q,
        record: { run_id: run, seq },
      } as const
      return (await searchSteps(ctx, search)).length
    }
    expect([await find('example.com', 1), await find('EXAMPLE db', 1), await find('example', 2)]).toEqual([
      1, 1, 0,
    ])
    expect([await find('xample', 1), await find('?', 1), await find('nothing', 1)]).toEqual([0, 1, 0])
  })
})
