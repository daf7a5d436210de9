import { afterEach, beforeEach, expect, it } from 'vitest'
import { firstIdAt, newId } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { searchSteps } from '../../../shared/traces/queries/search.ts'
import { indexSteps } from '../../../shared/traces/queries/step-index.ts'
import { ensureStepPartitions } from '../../../shared/upkeep/queries/partitions.ts'
import { markSpentRuns, purgePiece } from '../../../shared/upkeep/queries/retention.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

const DAY_MS = 24 * 3600 * 1000
// A Wednesday; weeks of partitions begin on Thursdays, as the epoch did.
const NOW = Date.parse('2027-03-03T12:00:00Z')

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
  engine.ctx.now = () => NOW
})
afterEach(() => engine.close())

/** A run of some age with two items and a step for each; it has ended unless `more` says otherwise. */
async function oldRun(days: number, more: object = {}): Promise<string> {
  const { sql, project_id, agent_id } = engine
  const at = NOW - days * DAY_MS
  const random = newId(at, bytes => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))
  const id = `${random.slice(0, 28)}00000000`
  await ensureStepPartitions(sql, at)
  const run = { id, project_id, agent_id, total_items: 2, next_seq: 3, ok: 2, cost_micro: 2 }
  const ended = { started_at: new Date(at), finished_at: new Date(at) }
  await sql`insert into runs ${sql({ ...run, ...ended, ...more })}`
  for (const seq of [1, 2]) {
    const item = {
      project_id,
      run_id: id,
      seq,
      line: seq,
      status: 'completed',
      outcome: 'ok',
      item_id: `i${seq}`,
    }
    await sql`insert into items ${sql({ ...item, input: '{"secret":1}', output: '2', cost_micro: 1 })}`
    const step = {
      project_id,
      run_id: id,
      seq,
      step_no: 1,
      attempt: 1,
      kind: 'step',
      outcome: 'ok',
      cost_micro: 1,
    }
    const place = { started_at: new Date(at), duration_ms: 1, key: 'k', name: 'needle' }
    await sql`insert into steps ${sql({ ...step, ...place })}`
  }
  await indexSteps(sql, 10)
  return id
}

const keep = (settings: object) =>
  engine.sql`update projects set settings = settings || ${engine.sql.json(settings as never)}`

const found = async () =>
  (
    await searchSteps(engine.ctx, {
      project_ids: [engine.project_id],
      q: 'needle',
      sort: 'recent',
      limit: 50,
    })
  ).map(step => step.run_id)

const partitions = async () =>
  (
    await engine.sql`select relname from pg_class where relispartition and relkind = 'r' and relname ~ '[0-9]$'`
  )
    .map(row => row.relname as string)
    .sort()

it('retention continues for all projects if one of them keeps its data for a hundred years', async () => {
  const old = await oldRun(40)
  const { sql } = engine
  const { account_id } = (await sql`select account_id from projects`)[0]!
  // Its id sorts before all others.
  const patient = { id: '00000000-0000-7000-8000-000000000001', account_id, name: 'patient' }
  const years = LIMITS.retention_days
  for (const kind of ['step', 'payload', 'record']) {
    await sql`delete from projects where id = ${patient.id}`
    await sql`insert into projects ${sql({ ...patient, settings: sql.json({ [`${kind}_retention_days`]: years }) })}`
    await sql`update projects set settings = settings || '{"record_retention_days": 30}' where id = ${engine.project_id}`
    await markSpentRuns(sql, NOW, 10)
  }
  expect((await sql`select run_id from purges where kind = 'records'`).map(row => row.run_id)).toEqual([old])
})

it('retention removes the steps of ended runs after their days, and search omits them from the first moment [steps.retention]', async () => {
  const [old, recent] = [await oldRun(40), await oldRun(10)]
  const open = await oldRun(40, { finished_at: null })
  await keep({ step_retention_days: 30 })
  await sweep(engine.ctx)
  expect((await found()).sort()).toEqual([open, open, recent, recent].sort())
  await sweep(engine.ctx)
  const left = await engine.sql`select distinct run_id from steps`
  expect(left.map(row => row.run_id).sort()).toEqual([open, recent].sort())
  const index = await engine.sql`select distinct run_id from step_index`
  expect(index.map(row => row.run_id).sort()).toEqual([open, recent].sort())
  expect((await engine.run(old)).steps_purged_at).toBeInstanceOf(Date)
  expect((await engine.run(open)).steps_purged_at).toBeNull()
  expect(await engine.sql`select from purges`).toHaveLength(0)
})

it('retention drops the partition of a week when no run needs it, and only then', async () => {
  await oldRun(40)
  const names = await partitions()
  await keep({ step_retention_days: 30 })
  // Another project keeps its steps of the same week.
  const { sql, ctx } = engine
  const [account] = await sql`select account_id from projects`
  const other = ctx.newId()
  await sql`insert into projects ${sql({ id: other, account_id: account!.account_id, name: 'other' })}`
  await sql`insert into project_usage ${sql({ project_id: other })}`
  const agent_id = ctx.newId()
  await sql`insert into agents ${sql({ id: agent_id, project_id: other, name: 'a', slug: 'a' })}`
  const theirs = await oldRun(40, { project_id: other, agent_id })
  await sweep(ctx)
  expect(await partitions()).toEqual(expect.arrayContaining(names))
  expect(await sql`select from steps where run_id = ${theirs}`).toHaveLength(2)

  const dropped = firstIdAt(NOW - 40 * DAY_MS)
  await sql`update projects set settings = '{"step_retention_days": 30}' where id = ${other}`
  await sweep(ctx)
  const week = new Date(Math.floor((NOW - 40 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS)
  const suffix = week.toISOString().slice(0, 10).replaceAll('-', '')
  expect((await partitions()).filter(name => name.endsWith(suffix))).toEqual([])
  expect(await sql`select from steps where run_id >= ${dropped} and run_id <= ${theirs}`).toHaveLength(0)
  expect(await sql`select from purges`).toHaveLength(0)
})

it('retention does not wait for a reader of steps: it removes the rows at once, and the week another time', async () => {
  const [first] = [await oldRun(40), await oldRun(40)]
  const week = async () => (await partitions()).filter(name => name.endsWith('_20270121'))
  await keep({ step_retention_days: 30 })
  const reading = await engine.sql.reserve()
  await reading`begin`
  await reading`select from steps limit 1`
  await sweep(engine.ctx)
  await sweep(engine.ctx)
  expect(await week()).toEqual(['step_index_20270121', 'steps_20270121'])
  expect(await engine.sql`select from steps`).toHaveLength(0)
  await reading`rollback`
  reading.release()

  await engine.sql`insert into purges (project_id, run_id, kind) values (${engine.project_id}, ${first}, 'steps')`
  await sweep(engine.ctx)
  expect(await week()).toEqual([])
  expect(await engine.sql`select from purges`).toHaveLength(0)
})

it('making the partition of a week does not wait for a writer of steps, and the writer does not wait for it', async () => {
  const { sql } = engine
  const run = await oldRun(0)
  const late = firstIdAt(NOW - 30 * DAY_MS)
  const [{ ...step }] = (await sql`select * from steps where run_id = ${run}`) as unknown as [object]
  const writing = await sql.reserve()
  await writing`begin`
  await writing`delete from steps where run_id = ${run}`
  await ensureStepPartitions(sql, NOW - 30 * DAY_MS)
  // The partition of its week is missing, so this goes to the default one, from which rows would have been moved.
  await writing`insert into steps ${sql({ ...step, run_id: late })}`
  await writing`commit`
  writing.release()
  expect(await sql`select run_id from steps_default`).toEqual([{ run_id: late }])
  await ensureStepPartitions(sql, NOW - 30 * DAY_MS)
  expect(await sql`select from steps_default`).toHaveLength(0)
  expect(await sql`select run_id from steps`).toEqual([{ run_id: late }])
})

it('retention replaces inputs and outputs, and keeps verdicts and costs', async () => {
  const [old, recent] = [await oldRun(8), await oldRun(6)]
  await keep({ payload_retention_days: 7 })
  await sweep(engine.ctx)
  const item = (await engine.items(old))[0]!
  expect([item.input, item.output, item.outcome, Number(item.cost_micro)]).toEqual(['null', null, 'ok', 1])
  expect((await engine.items(recent))[0]!.input).toBe('{"secret":1}')
  expect((await engine.run(old)).payloads_purged_at).toBeInstanceOf(Date)
})

it('retention removes whole runs after their days, but no open run', async () => {
  const [old, recent] = [await oldRun(8), await oldRun(6)]
  const open = await oldRun(8, { finished_at: null })
  await keep({ record_retention_days: 7 })
  await sweep(engine.ctx)
  await sweep(engine.ctx)
  const left = await engine.sql`select id from runs`
  expect(left.map(row => row.id).sort()).toEqual([open, recent].sort())
  for (const table of ['items', 'steps', 'step_index'])
    expect(await engine.sql`select from ${engine.sql(table)} where run_id = ${old}`).toHaveLength(0)
  expect(await engine.sql`select from purges`).toHaveLength(0)
})

it('retention removes as many small runs in a tick as its share allows', async () => {
  for (let i = 0; i < 4; i++) await oldRun(8)
  await keep({ record_retention_days: 7 })
  await sweep(engine.ctx)
  expect(await engine.sql`select id from runs`).toHaveLength(0)
})

it('retention removes small runs together: their rows in one piece, and the runs in the next', async () => {
  for (let i = 0; i < 20; i++) await oldRun(8)
  await keep({ record_retention_days: 7 })
  expect(await markSpentRuns(engine.sql, NOW, 100)).toBe(20)
  let pieces = 0
  while (await purgePiece(engine.sql, NOW)) pieces++
  expect(pieces).toBe(2)
  expect(await engine.sql`select id from runs`).toHaveLength(0)
})

it('retention removes nothing if no days are set', async () => {
  const old = await oldRun(3000)
  await sweep(engine.ctx)
  expect(await found()).toEqual([old, old])
  expect((await engine.items(old))[0]!.input).toBe('{"secret":1}')
})

it('retention removes occurrences and alerts that are as old as the records, but no occurrence that is still retried', async () => {
  const { sql, project_id, agent_id } = engine
  const id = newId(NOW, bytes => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))
  await sql`insert into schedules ${sql({ id, project_id, agent_id, cron: '0 9 * * *' })}`
  const aged = (table: string, at: string, row: object, more: object = {}) =>
    Promise.all(
      [20, 40, 400].map(
        days => sql`
          insert into ${sql(table)} ${sql({ ...row, ...more, [at]: new Date(Date.now() - days * DAY_MS) })}`,
      ),
    )
  const moment = { schedule_id: id, project_id, outcome: 'missed' }
  await aged('occurrences', 'scheduled_for', moment)
  await aged('occurrences', 'scheduled_for', moment, {
    manual: true,
    retry_at: new Date(Date.now() + DAY_MS),
  })
  const said = { message: '', advice: '', command: '', since: new Date() }
  for (const days of [20, 40, 400]) {
    const made = newId(NOW + days, bytes => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))
    const at = new Date(Date.now() - days * DAY_MS)
    const rule = { project_id, rule: 'schedule_missed' }
    await sql`insert into alerts ${sql({ id: made, ...rule, reason: 'overdue', ...said, created_at: at })}`
    await sql`insert into alert_marks ${sql({ ...rule, subject_id: made, raised_at: at })}`
  }
  const left = async () => [
    (await sql`select from occurrences where not manual`).count,
    (await sql`select from alerts`).count,
    (await sql`select from alert_marks`).count,
  ]
  await sweep(engine.ctx)
  expect(await left()).toEqual([2, 2, 2])
  await keep({ record_retention_days: 30 })
  await sweep(engine.ctx)
  expect(await left()).toEqual([1, 1, 1])
  expect((await sql`select from occurrences where manual`).count).toBe(3)
})

it('steps that came before their week had a partition, as after a long outage, are moved into it [steps.retention]', async () => {
  const { sql, ctx } = engine
  const run = await oldRun(0)
  const [week] = (await partitions()).filter(name => name.startsWith('steps_')).slice(-3)
  const before = await sql`select * from steps order by run_id, seq`
  // As steps lie whose partition is not made yet.
  for (const table of ['steps', 'step_index']) {
    const name = week!.replace('steps', table)
    await sql.unsafe(
      `create temp table lying as select * from ${name}; drop table ${name};
      insert into ${table}_default select * from lying; drop table lying`,
    )
  }
  const [{ lying }] = (await sql`select count(*)::int as lying from steps_default`) as never as [
    { lying: number },
  ]
  expect(lying).toBe(2)
  await sweep(ctx)
  expect(await partitions()).toContain(week)
  expect(await sql`select from steps_default`).toHaveLength(0)
  expect(await sql`select * from steps order by run_id, seq`).toEqual(before)
  expect(await found()).toEqual([run, run])
})

it('the tick removes old idempotency keys, expired sessions, API keys a month after their end and audit entries after a year', async () => {
  const { sql, project_id, ctx } = engine
  const [{ account_id }] =
    (await sql`select account_id from projects where id = ${project_id}`) as unknown as [
      { account_id: string },
    ]
  const run_id = await engine.submit(1)
  const [old, young] = [26, 1].map(hours => new Date(Date.now() - hours * 3_600_000)) as [Date, Date]
  const key = (name: string, created_at: Date) => ({
    project_id,
    key: name,
    fingerprint: 'f',
    run_id,
    created_at,
  })
  await sql`insert into idempotency_keys ${sql([key('old', old), key('young', young)])}`
  const [member] = await sql`
    insert into members ${sql({ id: ctx.newId(), account_id, email: 'm@example.org', role: 'owner', password_hash: 'x' })}
    returning id`
  const session = (name: string, expires_at: Date) => ({
    id: ctx.newId(),
    member_id: member!.id,
    refresh_hash: Buffer.from(name),
    expires_at,
  })
  const later = new Date(Date.now() + DAY_MS)
  await sql`insert into sessions ${sql([session('old', old), session('young', later)])}`
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
  const apiKey = (name: string, ends: { revoked_at?: Date; expires_at?: Date }) => ({
    id: ctx.newId(),
    project_id,
    name,
    prefix: 'pk_',
    hash: Buffer.from(name),
    revoked_at: null,
    expires_at: null,
    ...ends,
  })
  await sql`insert into api_keys ${sql([
    apiKey('revoked long ago', { revoked_at: ago(31), expires_at: later }),
    apiKey('expired long ago', { expires_at: ago(31) }),
    apiKey('expired lately', { expires_at: ago(29) }),
    apiKey('revoked lately', { revoked_at: ago(1) }),
    apiKey('endless', {}),
  ])}`
  const entry = (days: number) => ({
    id: firstIdAt(NOW - days * DAY_MS),
    account_id,
    actor_kind: 'member',
    actor_id: member!.id,
    actor_name: 'm',
    action: `${days} days ago`,
  })
  await sql`insert into audit_log ${sql([entry(366), entry(364)])}`
  await sweep(engine.ctx)
  expect(await sql`select key from idempotency_keys`).toEqual([{ key: 'young' }])
  expect(await sql`select refresh_hash from sessions`).toEqual([{ refresh_hash: Buffer.from('young') }])
  expect(await sql`select name from api_keys where prefix = 'pk_' order by name`.values()).toEqual([
    ['endless'],
    ['expired lately'],
    ['revoked lately'],
  ])
  expect(await sql`select action from audit_log where account_id = ${account_id}`).toEqual([
    { action: '364 days ago' },
  ])
})
