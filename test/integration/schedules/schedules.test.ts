// What happens to the occurrences of schedules, whatever happens to the tick, to the stores and to the clock.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Sql } from '../../../shared/context.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { lockDue } from '../../../shared/schedules/queries/occurrences.ts'
import {
  fireByHand,
  fireDue,
  retryFires,
  type StartedByHand,
  watchStarts,
} from '../../../shared/schedules/verbs/fire.ts'
import { repairNext } from '../../../shared/schedules/verbs/repair-next.ts'
import {
  createSchedule,
  disableSchedule,
  enableSchedule,
  updateSchedule,
} from '../../../shared/schedules/verbs/schedules.ts'
import { setClock } from '../../support/clock.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { endIdleTransactions } from '../../support/on-cluster.ts'

/** A Monday. The clock stands still, so no minute passes while a test runs. */
const NOW = '2026-03-02T09:30:20Z'
const MINUTE = 60_000
const minutesAgo = (minutes: number) => new Date(Date.parse('2026-03-02T09:30:00Z') - minutes * MINUTE)

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine({ clock: NOW })
})
afterEach(async () => {
  onFault(undefined)
  await engine.close()
})

/** Fires in the current minute, and in no other of the year. */
const YEARLY = '30 9 2 3 *'

/** A schedule whose first occurrence without a row lies this many minutes back. */
async function schedule(cron = '* * * * *', ago = 0, more: object = {}): Promise<string> {
  const { ctx, sql, project_id, agent_id } = engine
  const id = await createSchedule(ctx, {
    project_id,
    agent_id,
    cron,
    timezone: 'UTC',
    enabled: true,
    declared: false,
    name: null,
    source: null,
    input: '{"nightly":true}',
    budget_cents: 50,
    timeout_seconds: 9,
    callback_url: null,
    ...more,
  })
  await sql`update schedules set next_at = ${minutesAgo(ago)} where id = ${id}`
  return id
}

const keyOf = (id: string) => ({ project_id: engine.project_id, id })

interface Row {
  outcome: string
  reason: string | null
  run_id: string | null
  tries: number
  retry_at: Date | null
  scheduled_for: Date
}

const rows = (id: string) =>
  engine.sql<Row[]>`select * from occurrences where schedule_id = ${id} order by scheduled_for`
const find = async (id: string) => (await engine.sql`select * from schedules where id = ${id}`)[0]!
const runs = () => engine.sql`select * from runs order by id`
const alerts = () => engine.sql`select schedule_id, reason, message from alerts order by created_at`
const outcomesOf = async (id: string) => (await rows(id)).map(({ outcome, reason }) => [outcome, reason])

/** No occurrence has two rows, and every fired one has a run of its own with its item. */
async function expectOneRunEach(): Promise<void> {
  const [row] = await engine.sql`
    select o.*, runs, items from (
      select count(*) filter (where outcome = 'fired')::int as fired, count(distinct run_id)::int as named,
        count(*) filter (where (outcome = 'fired') <> (run_id is not null))::int as odd
      from occurrences
    ) o, (select count(*)::int as runs from runs) r, (select count(*)::int as items from items) i`
  expect(row).toMatchObject({ named: row!.fired, odd: 0, runs: row!.fired, items: row!.fired })
}

describe('an occurrence', () => {
  it('starts a run that may use models without a price, if its schedule says so', async () => {
    const id = await schedule(YEARLY, 1, { allow_unpriced: true })
    await schedule()
    await fireDue(engine.ctx)
    await fireByHand(engine.ctx, (await find(id)) as StartedByHand)
    const allowing = await engine.sql`select allow_unpriced from runs order by allow_unpriced`
    expect(allowing.map(run => run.allow_unpriced)).toEqual([false, true, true])
  })

  it('is what its run names as its starter, by cron and by hand', async () => {
    const id = await schedule()
    await fireDue(engine.ctx)
    await fireByHand(engine.ctx, (await find(id)) as StartedByHand)
    const started = (await runs()).map(run => run.started_by)
    const name = (await runs())[0]!.name
    expect(started).toEqual([
      { kind: 'schedule', id, name },
      { kind: 'schedule', id, name },
    ])
  })

  it('starts a run with the tags of its schedule, by cron and by hand [schedules.tags]', async () => {
    const id = await schedule(YEARLY, 1, { tags: ['acme', 'nightly'] })
    await schedule()
    await fireDue(engine.ctx)
    await fireByHand(engine.ctx, (await find(id)) as StartedByHand)
    const tagged = await engine.sql`select tags from runs order by tags`
    expect(tagged.map(run => run.tags)).toEqual([[], ['acme', 'nightly'], ['acme', 'nightly']])
  })

  it('starts a run with the concurrency of its schedule, by cron and by hand [schedules.concurrency]', async () => {
    const id = await schedule(YEARLY, 1, { concurrency: 3 })
    await schedule()
    await fireDue(engine.ctx)
    await fireByHand(engine.ctx, (await find(id)) as StartedByHand)
    const bounded = await engine.sql`select concurrency from runs order by concurrency`
    expect(bounded.map(run => run.concurrency)).toEqual([3, 3, null])
  })

  it('starts one run with the input, the budget and the deployment of its schedule [starts.schedule, schedules.own-settings, occurrences.fired]', async () => {
    const id = await schedule()
    expect(await fireDue(engine.ctx)).toBe(1)
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', reason: null, tries: 1, retry_at: null })
    const run = await engine.run(row!.run_id!)
    expect(run).toMatchObject({ name: 'schedule * * * * *', total_items: 1, timeout_seconds: 9 })
    expect([run.budget_micro, run.status]).toEqual([500_000, 'queued'])
    expect(run.deployment_id).toBe((await engine.sql`select current_deployment_id as id from agents`)[0]!.id)
    expect((await engine.items(run.id as string))[0]).toMatchObject({
      input: '{"nightly":true}',
      item_id: `${(run.id as string).slice(0, 28)}00000001`,
    })
    const after = await find(id)
    expect(after.last_run_at).not.toBeNull()
    expect(after.next_at.getTime()).toBe(row!.scheduled_for.getTime() + MINUTE)
    expect(await fireDue(engine.ctx)).toBe(0)
    await expectOneRunEach()
  })

  it('is not fired before it is due', async () => {
    await schedule('* * * * *', -1)
    expect(await fireDue(engine.ctx)).toBe(0)
  })

  it('of a disabled schedule is not fired, and enabling the schedule does not make up for it', async () => {
    const id = await schedule('* * * * *', -1)
    await disableSchedule(engine.ctx, keyOf(id))
    expect(await find(id)).toMatchObject({ enabled: false, disabled_reason: 'operator', next_at: null })
    await setClock(engine.sql, '2026-03-02T09:40:20Z')
    expect(await fireDue(engine.ctx)).toBe(0)
    await enableSchedule(engine.ctx, keyOf(id))
    expect((await find(id)).next_at).toEqual(minutesAgo(-11))
    expect(await rows(id)).toEqual([])
  })
})

describe('an occurrence that was due before a change and that no tick has fired', () => {
  const missed = (...ago: number[]) =>
    ago.map(minutes => ({ outcome: 'missed', reason: 'overdue', scheduled_for: minutesAgo(minutes) }))

  it('still waits for its tick if neither cron nor zone changes', async () => {
    const id = await schedule('* * * * *', 1)
    await updateSchedule(engine.ctx, keyOf(id), { timezone: 'UTC', cron: '* * * * *', budget_cents: 1 })
    expect(await find(id)).toMatchObject({ next_at: minutesAgo(1), budget_micro: 10_000 })
  })

  it('is missed if the cron changes', async () => {
    const id = await schedule('* * * * *', 1)
    await updateSchedule(engine.ctx, keyOf(id), { cron: '*/10 * * * *' })
    expect(await rows(id)).toMatchObject(missed(1, 0))
    expect((await find(id)).next_at).toEqual(minutesAgo(-10))
  })

  it('is missed if a person disables the schedule, and so is every one of a long outage', async () => {
    const id = await schedule('* * * * *', 7000)
    await disableSchedule(engine.ctx, keyOf(id))
    expect(await rows(id)).toHaveLength(7001)
    expect(await find(id)).toMatchObject({ enabled: false, next_at: null })
  })
})

it('a schedule that is given the cron of another is refused with the name and the id of that one', async () => {
  const [named, other] = [await schedule('0 4 * * *', -1), await schedule('0 5 * * *', -1)]
  await updateSchedule(engine.ctx, keyOf(named), { name: 'nightly' })
  await expect(updateSchedule(engine.ctx, keyOf(other), { cron: '0 4 * * *' })).rejects.toMatchObject({
    code: 'schedule_cron_taken',
    message: `The agent already has a schedule with the cron "0 4 * * *": "nightly", ${named}.`,
    hint: expect.stringContaining(`assay schedules update ${named}`),
  })
})

it('of two schedules that are given the same cron at once, one is refused with schedule_cron_taken', async () => {
  const ids = [await schedule('0 1 * * *', -1), await schedule('0 2 * * *', -1)]
  const changes = await Promise.allSettled(
    ids.map(id => updateSchedule(engine.ctx, keyOf(id), { cron: '0 3 * * *' })),
  )
  const refused = changes.filter(change => change.status === 'rejected')
  expect(refused.map(({ reason }) => reason.code)).toEqual(['schedule_cron_taken'])
})

describe('an outage', () => {
  it('leaves a missed row for each occurrence but the newest, which fires [occurrences.missed, occurrences.overdue, alerts.missed]', async () => {
    const id = await schedule('* * * * *', 3)
    await fireDue(engine.ctx)
    expect(await outcomesOf(id)).toEqual([
      ['missed', 'overdue'],
      ['missed', 'overdue'],
      ['missed', 'overdue'],
      ['fired', null],
    ])
    expect(await alerts()).toMatchObject([{ schedule_id: id, reason: 'overdue' }])
    await expectOneRunEach()
  })

  it('is reported by the id of the agent if its name cannot be read, not as of a deleted agent [log.agent_names_not_read]', async () => {
    const id = await schedule('* * * * *', 3)
    await withLock('agents', () => fireDue(engine.ctx))
    const [alert] = await alerts()
    expect(alert).toMatchObject({ schedule_id: id, reason: 'overdue' })
    expect(alert!.message).toContain(`of agent ${engine.agent_id}: `)
    expect(engine.log.map(line => JSON.parse(line).event)).toEqual([
      'agent_lookup_failed',
      'agent_names_not_read',
    ])
  })

  it('of 30 days leaves 43,200 missed rows without a run, and one alert', async () => {
    const id = await schedule('* * * * *', 43_200)
    await fireDue(engine.ctx)
    const [counted] = await engine.sql`
      select count(*) filter (where outcome = 'missed' and reason = 'overdue' and run_id is null)::int as missed,
        count(*)::int as rows, count(distinct scheduled_for)::int as moments
      from occurrences`
    // The current minute is the newest: it is not late, and it fires.
    expect(counted).toEqual({ missed: 43_200, rows: 43_201, moments: 43_201 })
    expect(await alerts()).toHaveLength(1)
    expect((await find(id)).next_at).toEqual(minutesAgo(-1))
    await expectOneRunEach()
  })

  it('does not fire an occurrence that is more than a day old, even if no later one is due', async () => {
    const [day, older] = [
      await schedule('31 9 1 * *', 24 * 60 - 1),
      await schedule('29 9 1 * *', 24 * 60 + 1),
    ]
    await fireDue(engine.ctx)
    expect(await outcomesOf(day)).toEqual([['fired', null]])
    expect(await outcomesOf(older)).toEqual([['missed', 'overdue']])
    await expectOneRunEach()
  })

  it('is made up for after the occurrences that are due now: the fresher of two schedules fires first', async () => {
    const behind = await schedule('* * * * *', 20_000)
    const fresh = await schedule('*/1 * * * *', 0)
    const order: string[] = []
    onFault(async name => {
      if (name !== 'fire.after_commit') return
      const done = await engine.sql`select schedule_id from occurrences where outcome = 'fired'`
      order.push(...done.map(row => row.schedule_id).filter(id => !order.includes(id)))
    })
    await fireDue(engine.ctx)
    expect(order).toEqual([fresh, behind])
  })

  it('is made up for oldest first, and a schedule that another transaction holds gives its place to the next', async () => {
    const { sql } = engine
    for (let n = 0; n < 30; n++) await schedule(`${n} * * * *`, n % 10)
    const { project_id } = engine
    const due = await lockDue(sql, 10, project_id)
    const times = due.map(one => one.next_at.getTime())
    expect(new Set(times.slice(0, 3))).toEqual(new Set([minutesAgo(9).getTime()]))
    expect(times).toEqual(times.toSorted())
    await sql.begin(async tx => {
      await lockDue(tx as unknown as Sql, 10, project_id)
      const next = await lockDue(sql, 10, project_id)
      expect(next).toHaveLength(10)
      expect(next.some(({ id }) => due.some(one => one.id === id))).toBe(false)
    })
  })

  it('is made up for by projects in turn, so that one with many keeps no other waiting', async () => {
    const { ctx, sql } = engine
    const [other, agent_id] = [ctx.newId(), ctx.newId()]
    await sql`
      insert into projects (id, account_id, name)
      select ${other}, account_id, 'other' from projects where id = ${engine.project_id}`
    await sql`insert into project_usage ${sql({ project_id: other })}`
    await sql`insert into agents ${sql({ id: agent_id, project_id: other, name: 'other', slug: 'other' })}`
    await sql`
      insert into schedules (id, project_id, agent_id, cron, timezone, input, next_at)
      select gen_random_uuid(), ${engine.project_id}, ${engine.agent_id}, every.minute || ' * * * ' || dow, 'UTC', '{}',
        ${minutesAgo(1)}
      from (
        -- An agent may have a cron expression only once, so each spells "every minute" differently.
        select string_agg(((m + n) % 60)::text, ',') as minute from generate_series(0, 59) m, generate_series(0, 59) n
        group by n) every,
        unnest(array['*', '0-6', '1-7', '*/1', '0-7', '0,1-6', '0-1,2-6', '0-2,3-6', '0-3,4-6']) dow
      limit ${LIMITS.fires_per_chunk + 2}`
    await schedule('* * * * *', 0, { project_id: other, agent_id })
    const committed: number[][] = []
    onFault(async name => {
      if (name !== 'fire.after_commit') return
      const of = async (id: string) => (await sql`select from occurrences where project_id = ${id}`).length
      committed.push([await of(engine.project_id), await of(other)])
    })
    await fireDue(ctx)
    const many = 2 * LIMITS.fires_per_chunk
    expect(committed.slice(0, 2)).toEqual([
      [many, 0],
      [many, 1],
    ])
  })
})

const retryNow = () => engine.sql`update occurrences set retry_at = now() where retry_at is not null`

describe('a temporary fault', () => {
  it('is retried until a run starts, without an alert [occurrences.retried-within, occurrences.no-deployed-version, occurrences.skipped, alerts.not-while-retrying, schedules.last-run-at]', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    const id = await schedule(YEARLY)
    await fireDue(engine.ctx)
    const [first] = await rows(id)
    expect(first).toMatchObject({ outcome: 'skipped', reason: 'no_deployed_version', tries: 1, run_id: null })
    expect(await retryFires(engine.ctx)).toBe(0)
    await retryNow()
    await retryFires(engine.ctx)
    const [second] = await rows(id)
    expect(second).toMatchObject({ outcome: 'skipped', reason: 'no_deployed_version', tries: 2 })
    expect((await find(id)).last_run_at).toBeNull()
    await engine.deploy()
    await retryNow()
    await retryFires(engine.ctx)
    expect(await rows(id)).toMatchObject([{ outcome: 'fired', reason: null, tries: 3, retry_at: null }])
    expect((await find(id)).last_run_at).not.toBeNull()
    expect(await alerts()).toEqual([])
    await expectOneRunEach()
  })

  it('waits twice as long before each try, up to five minutes', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    await schedule(YEARLY)
    await fireDue(engine.ctx)
    const waits: number[] = []
    for (let n = 0; n < 9; n++) {
      const [row] =
        await engine.sql`select extract(epoch from retry_at - now())::float8 as s from occurrences`
      waits.push(row!.s)
      await retryNow()
      await retryFires(engine.ctx)
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
  })

  it('that lasts until the next occurrence keeps its last reason, and raises an alert [alerts.superseded, alerts.one-signal]', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    const id = await schedule('* * * * *', 1)
    await engine.sql`
      insert into occurrences (schedule_id, scheduled_for, project_id, outcome, reason, tries, retry_at)
      select id, next_at - interval '1 minute', project_id, 'error', 'dispatch_failed', 4, now() from schedules`
    // The next occurrence is due, so nothing is started for the one before it any more.
    expect(await retryFires(engine.ctx)).toBe(0)
    await engine.sql`update schedules set next_at = date_trunc('minute', now())`
    await fireDue(engine.ctx)
    expect(await rows(id)).toMatchObject([
      { outcome: 'error', reason: 'dispatch_failed', tries: 4, retry_at: null },
      { outcome: 'skipped', reason: 'no_deployed_version', retry_at: expect.any(Date) },
    ])
    expect(await alerts()).toMatchObject([{ schedule_id: id, reason: 'dispatch_failed' }])
  })

  it('is not retried once a person has disabled the schedule', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    const id = await schedule(YEARLY)
    await fireDue(engine.ctx)
    await retryNow()
    await disableSchedule(engine.ctx, keyOf(id))
    await engine.deploy()
    expect(await retryFires(engine.ctx)).toBe(0)
    expect(await outcomesOf(id)).toEqual([['skipped', 'no_deployed_version']])
  })

  it.each([
    ['the account is suspended', `update accounts set status = 'suspended'`],
    ['the plan allows no more open runs', `update accounts set plan = '{"open_runs": 1}'`],
    [
      'the project may have no more open runs',
      `update projects set settings = settings || '{"open_runs": 1}'`,
    ],
  ])('is plan_limit if %s [occurrences.plan-limit]', async (_, change) => {
    await engine.submit(1)
    await engine.sql.unsafe(change)
    const id = await schedule()
    await fireDue(engine.ctx)
    expect(await rows(id)).toMatchObject([
      { outcome: 'skipped', reason: 'plan_limit', retry_at: expect.any(Date) },
    ])
    expect(await runs()).toHaveLength(1)
  })

  it('is plan_limit only for those without room, if many are due at once', async () => {
    await engine.sql`update accounts set plan = '{"open_runs": 2}'`
    for (const cron of ['* * * * *', '*/1 * * * *', '0-59 * * * *']) await schedule(cron)
    await fireDue(engine.ctx)
    const outcomes = await engine.sql`select outcome from occurrences order by outcome`
    expect(outcomes.map(row => row.outcome)).toEqual(['fired', 'fired', 'skipped'])
  })

  it.each([
    ['agents', 'agent_lookup_failed'],
    ['accounts', 'account_lookup_failed'],
    ['items', 'dispatch_failed'],
  ])(
    'on the side of the service, such as a lock on %s, is %s [occurrences.service-fault, occurrences.error, log.agent_lookup_failed, log.account_lookup_failed, log.dispatch_failed]',
    async (table, reason) => {
      const id = await schedule(YEARLY)
      await withLock(table, () => fireDue(engine.ctx))
      expect(await rows(id)).toMatchObject([
        { outcome: 'error', reason, run_id: null, retry_at: expect.any(Date) },
      ])
      expect(await runs()).toEqual([])
      expect(engine.log.map(line => JSON.parse(line).event)).toContain(reason)
      await retryNow()
      await retryFires(engine.ctx)
      expect(await outcomesOf(id)).toEqual([['fired', null]])
      await expectOneRunEach()
    },
    20_000,
  )

  it('of one schedule does not keep another from firing', async () => {
    const well = await schedule('* * * * *')
    const unwell = await schedule('*/1 * * * *')
    await engine.sql.unsafe(`alter table items add constraint odd check (input not like '%odd%') not valid`)
    await engine.sql`update schedules set input = '"odd"' where id = ${unwell}`
    await fireDue(engine.ctx)
    expect(await outcomesOf(well)).toEqual([['fired', null]])
    expect(await outcomesOf(unwell)).toEqual([['error', 'dispatch_failed']])
    await expectOneRunEach()
  })
})

/** Runs `during` while another connection locks the table. */
async function withLock(table: string, during: () => Promise<unknown>): Promise<void> {
  await engine.sql.begin(async tx => {
    await tx.unsafe(`lock table ${table} in access exclusive mode`)
    await during()
  })
}

describe('a permanent fault', () => {
  it('such as a deleted agent is not retried within the occurrence, and raises an alert [occurrences.agent-not-found, alerts.unrunnable]', async () => {
    const id = await schedule()
    await engine.sql`update agents set deleted_at = now()`
    await fireDue(engine.ctx)
    expect(await rows(id)).toMatchObject([{ outcome: 'skipped', reason: 'agent_not_found', retry_at: null }])
    expect((await find(id)).enabled).toBe(true)
    expect(await alerts()).toMatchObject([{ reason: 'agent_not_found' }])
  })

  it.each([
    ['cron', 'never', 'invalid_cron'],
    ['timezone', 'Mars/Olympus', 'invalid_timezone'],
  ])(
    'of a %s that cannot be read any more disables the schedule, and raises an alert [schedules.invalid-disables]',
    async (column, value, reason) => {
      const id = await schedule()
      await engine.sql`update schedules set ${engine.sql({ [column]: value })} where id = ${id}`
      await fireDue(engine.ctx)
      expect(await find(id)).toMatchObject({ enabled: false, disabled_reason: reason, next_at: null })
      expect(await outcomesOf(id)).toEqual([['skipped', reason]])
      expect(await alerts()).toMatchObject([{ reason }])
      await expect(enableSchedule(engine.ctx, keyOf(id))).rejects.toMatchObject({ code: reason })
      await updateSchedule(engine.ctx, keyOf(id), { cron: '* * * * *', timezone: 'UTC' })
      await enableSchedule(engine.ctx, keyOf(id))
      expect(await find(id)).toMatchObject({ enabled: true, disabled_reason: null })
    },
  )

  it('leaves no occurrences behind if the agent itself is deleted', async () => {
    await fireByHand(engine.ctx, (await find(await schedule())) as never)
    await engine.sql`delete from agents`
    expect(await engine.sql`select 1 from occurrences`).toEqual([])
  })
})

describe('a fired run', () => {
  const late = () => engine.sql`update occurrences set watch_until = now()`

  it('that no worker starts in time is marked run_never_started, and raises an alert [occurrences.run-never-started, alerts.never-started]', async () => {
    const id = await schedule()
    await fireDue(engine.ctx)
    expect(await watchStarts(engine.ctx)).toBe(0)
    await late()
    expect(await watchStarts(engine.ctx)).toBe(1)
    expect(await outcomesOf(id)).toEqual([['fired', 'run_never_started']])
    expect(await alerts()).toMatchObject([{ schedule_id: id, reason: 'run_never_started' }])
    expect(await watchStarts(engine.ctx)).toBe(0)
  })

  it.each([
    ['a worker has started', 'started_at = now()'],
    ['somebody has cancelled', `stop_reason = 'cancelled', cancelled = 1, finished_at = now()`],
  ])('that %s is not marked', async (_, change) => {
    const id = await schedule()
    await fireDue(engine.ctx)
    await engine.sql.unsafe(`update runs set ${change}`)
    await late()
    await watchStarts(engine.ctx)
    expect(await outcomesOf(id)).toEqual([['fired', null]])
    expect(await alerts()).toEqual([])
  })
})

describe('two ticks at once', () => {
  const other = () => engine.other(() => [])

  it('fire each occurrence once', async () => {
    for (let n = 0; n < 40; n++)
      await schedule(`${[...Array(60).keys()].filter(m => m !== n).join()},${n} * * * *`)
    await Promise.all([engine.ctx, other(), other()].map(ctx => fireDue(ctx)))
    const [row] =
      await engine.sql`select count(*)::int as rows, count(*) filter (where outcome = 'fired')::int as fired from occurrences`
    expect(row).toEqual({ rows: 40, fired: 40 })
    await expectOneRunEach()
  })

  it('do not wait for one that pauses before its commit: what it held fires once its session is gone', async () => {
    const [held, free] = [await schedule(), await schedule('*/1 * * * *', -1)]
    let pause = true
    const paused = Promise.withResolvers<void>()
    onFault(name => {
      if (name !== 'fire.before_commit' || !pause) return
      pause = false
      paused.resolve()
      return new Promise<void>(() => {})
    })
    const slow = fireDue(engine.ctx).catch((error: Error) => error)
    await paused.promise
    await engine.sql`update schedules set next_at = ${minutesAgo(0)} where id = ${free}`
    expect(await fireDue(other())).toBe(1)
    expect(await outcomesOf(free)).toEqual([['fired', null]])
    expect(await outcomesOf(held)).toEqual([])
    await endIdleTransactions(engine.sql) // as PostgreSQL does after LIMITS.transaction_idle_ms
    expect(await fireDue(other())).toBe(1)
    expect(await outcomesOf(held)).toEqual([['fired', null]])
    expect(await slow).toBeInstanceOf(Error)
    await expectOneRunEach()
  })

  it('fire nothing twice if one pauses after its commit', async () => {
    const id = await schedule()
    const paused = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let pause = true
    onFault(async name => {
      if (name !== 'fire.after_commit' || !pause) return
      pause = false
      paused.resolve()
      await go.promise
    })
    const slow = fireDue(engine.ctx)
    await paused.promise
    expect(await fireDue(other())).toBe(0)
    go.resolve()
    expect(await slow).toBe(1)
    expect(await outcomesOf(id)).toEqual([['fired', null]])
    await expectOneRunEach()
  })
})

describe('the clock of the database', () => {
  it('may go back five minutes: nothing fires again until it has caught up', async () => {
    const id = await schedule()
    await fireDue(engine.ctx)
    for (const minute of [25, 26, 27, 28, 29, 30]) {
      await setClock(engine.sql, `2026-03-02T09:${minute}:30Z`)
      expect(await fireDue(engine.ctx)).toBe(0)
    }
    await setClock(engine.sql, '2026-03-02T09:31:10Z')
    expect(await fireDue(engine.ctx)).toBe(1)
    expect((await rows(id)).map(row => row.scheduled_for)).toEqual([minutesAgo(0), minutesAgo(-1)])
    await expectOneRunEach()
  })

  it('may go back five minutes before a schedule is changed: occurrences that have a row get no second run', async () => {
    const id = await schedule('* * * * *', 4)
    await fireDue(engine.ctx)
    const before = await rows(id)
    await setClock(engine.sql, '2026-03-02T09:25:20Z')
    // The next occurrence follows from the clock, which now names occurrences that have a row already.
    await updateSchedule(engine.ctx, keyOf(id), { timezone: 'Etc/GMT' })
    for (const minute of [26, 27, 28, 29, 30]) {
      await setClock(engine.sql, `2026-03-02T09:${minute}:10Z`)
      expect(await fireDue(engine.ctx)).toBe(1)
    }
    expect(await rows(id)).toEqual(before)
    await expectOneRunEach()
  })
})

it('starts by hand at the same time have a row and a run each [occurrences.manual]', async () => {
  const id = await schedule(YEARLY, -1)
  const found = (await find(id)) as never
  await Promise.all(Array.from({ length: 8 }, () => fireByHand(engine.ctx, found)))
  expect(await outcomesOf(id)).toEqual(Array(8).fill(['fired', 'manual']))
  await expectOneRunEach()
})

it('a next fire time that is too late, since a clock was ahead, is moved back to that of the cron [log.schedule_moved_back]', async () => {
  const [late, right, yearly] = [
    await schedule('0 2 * * *'),
    await schedule('0 3 * * *'),
    await schedule(YEARLY),
  ]
  const set = (id: string, at: string) => engine.sql`update schedules set next_at = ${at} where id = ${id}`
  await set(late, '2036-03-03T02:00:00Z')
  await set(right, '2026-03-03T03:00:00Z')
  await set(yearly, '2027-03-02T09:30:00Z')
  const due = await schedule('* * * * *')
  const logged: unknown[] = []
  const log = (_: unknown, event: string) => void logged.push(event)
  expect(await repairNext({ ...engine.ctx, log })).toBe(1)
  expect(logged).toEqual(['schedule_moved_back'])
  expect((await find(late)).next_at).toEqual(new Date('2026-03-03T02:00:00Z'))
  expect((await find(right)).next_at).toEqual(new Date('2026-03-03T03:00:00Z'))
  expect((await find(yearly)).next_at).toEqual(new Date('2027-03-02T09:30:00Z'))
  expect((await find(due)).next_at).toEqual(minutesAgo(0))
  expect(await repairNext(engine.ctx)).toBe(0)
  await setClock(engine.sql, '2026-03-03T02:00:01Z')
  await fireDue(engine.ctx)
  expect(await rows(late)).toMatchObject([
    { outcome: 'fired', scheduled_for: new Date('2026-03-03T02:00:00Z') },
  ])
})
