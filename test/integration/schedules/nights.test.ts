// Nights of a schedule: each has the one alert that it gives reason for, no other, and one digest.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { addAlertChannel } from '../../../shared/alerts/verbs/alerts.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { checkRuns } from '../../../shared/grading/verbs/run-checks.ts'
import { sweepStopped } from '../../../shared/items/queries/stop.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import { deliverDue } from '../../../shared/outbox/verbs/deliver.ts'
import { acknowledgeItem, callItemWrong, resumeItem } from '../../../shared/recovery/verbs/replay.ts'
import { setDeadline } from '../../../shared/schedules/verbs/deadlines.ts'
import { fireDue, watchStarts } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { watchForAlerts } from '../../../shared/upkeep/verbs/watch-alerts.ts'
import { changeLimits } from '../../../shared/upstreams/verbs/set-limits.ts'
import { setClock } from '../../support/clock.ts'
import { centStep, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/** The evening before, and the time when the schedule fires. */
const EVENING = '2026-03-02T20:00:00Z'
const NIGHT = '2026-03-03T02:00:10Z'

let engine: TestEngine
let receiver: Receiver
let schedule_id: string
beforeEach(async () => {
  engine = await testEngine({ clock: EVENING })
  receiver = await startReceiver()
  await addAlertChannel(engine.ctx, engine.project_id, { url: receiver.url })
  const { project_id, agent_id } = engine
  schedule_id = await createSchedule(engine.ctx, {
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
})
afterEach(async () => {
  onFault(undefined)
  await Promise.all([engine.close(), receiver.close()])
})

const look = () => watchForAlerts({ ...engine.ctx })

/** Fires the schedule, and gives its run as many items as a source would. */
async function fire(items: number, at = NIGHT): Promise<string> {
  await setClock(engine.sql, at)
  await fireDue(engine.ctx)
  const [run] = await engine.sql`select run_id from occurrences order by scheduled_for desc limit 1`
  await engine.sql`
    insert into items (project_id, run_id, seq, line, status, item_id, input)
    select ${engine.project_id}, ${run!.run_id}, n, n, 'queued', 'item-' || n, '{}' from generate_series(2, ${items}) n`
  await engine.sql`update runs set total_items = ${items} where id = ${run!.run_id}`
  return run!.run_id
}

/** Consumes the night's items and checks for alerts; returns all messages, by kind and rule. */
async function messagesSent(): Promise<string[]> {
  await consume(engine.ctx)
  await look()
  return messages()
}

/** Sends all messages. Their due time is set first, because its default reads the wall clock. */
async function deliver(): Promise<void> {
  await engine.sql`update deliveries set due_at = now() where due_at is not null`
  await deliverDue(engine.ctx)
}

async function messages(): Promise<string[]> {
  const rows = await engine.sql<{ what: string }[]>`
    select coalesce(d.kind || ' ' || a.rule, d.kind::text) as what
    from deliveries d left join alerts a on a.project_id = d.project_id and a.id = d.alert_id
    order by d.kind, a.rule`
  return rows.map(row => row.what)
}

it('a night in which all is well has a digest and no alert', async () => {
  await fire(40)
  expect(await messagesSent()).toEqual(['run.digest'])
})

it('a night in which all is degraded has one alert', async () => {
  engine.play(items => items.map(item => ({ ...result(item), degraded: 'no answer' }) as never))
  await fire(40)
  expect(await messagesSent()).toEqual(['alert.raised failure_share', 'run.digest'])
})

it('a night in which a few items do not work has no alert', async () => {
  engine.play(items =>
    items.map(item => (item.seq % 10 === 0 ? failure(item, 'tool_call_error') : result(item))),
  )
  await fire(40)
  expect(await messagesSent()).toEqual(['run.digest'])
})

it('a night in which the provider is down has one alert', async () => {
  engine.play(items => items.map(item => failure(item, 'llm_call_error', '503 Service Unavailable')))
  await fire(200)
  expect(await messagesSent()).toEqual(['alert.raised failure_share', 'run.digest'])
  const [alert] = await engine.sql`select message from alerts`
  expect(alert!.message).toContain('played 0 2 * * *: 200 of 200 items did not work (200 failed).')
})

it('a night that reaches its budget at 60 % has one alert, which says how far it came', async () => {
  engine.play(items => items.flatMap(item => [centStep(item, 'call'), result(item)]))
  await fire(80)
  expect(await messagesSent()).toEqual(['alert.raised budget_exceeded', 'run.digest'])
  const [alert] = await engine.sql`select message, command from alerts`
  expect(alert!.message).toContain('the budget of $0.50 was spent')
  expect(alert!.message).toContain('over budget')
})

it('a night in which the provider refuses the credentials has one alert', async () => {
  const refused = { code: 'llm_call_error', message: '401 Incorrect API key provided' }
  engine.play(items =>
    items.flatMap(item => [
      step(item, 'ask', { kind: 'llm_call', name: 'gpt', output: null, error: refused }),
      failure(item, refused.code, refused.message),
    ]),
  )
  await fire(40)
  expect(await messagesSent()).toEqual(['alert.raised credentials_refused', 'run.digest'])
})

it('a night without any tick has one alert, even if it has a deadline [alerts.deadlines]', async () => {
  const { project_id, agent_id, ctx } = engine
  await setDeadline(ctx, { project_id, agent_id, schedule_id, finished_by: '06:00', timezone: 'UTC' })
  await setClock(engine.sql, '2026-03-04T07:00:00Z')
  await fireDue(engine.ctx)
  await look()
  expect((await messages()).filter(what => what.startsWith('alert.raised'))).toEqual([
    'alert.raised schedule_missed',
  ])
})

it('a night whose run nobody starts has one alert, which is resolved when the run ends', async () => {
  await fire(40)
  await setClock(engine.sql, '2026-03-03T02:20:00Z')
  await look()
  await watchStarts(engine.ctx)
  await look()
  expect(await messages()).toEqual(['alert.raised schedule_missed'])
  expect(await messagesSent()).toEqual([
    'alert.raised schedule_missed',
    'alert.resolved schedule_missed',
    'run.digest',
  ])
})

it('a night that misses its deadline has one alert, which is resolved when the run ends', async () => {
  const { project_id, agent_id, ctx, sql } = engine
  await setDeadline(ctx, { project_id, agent_id, schedule_id, finished_by: '06:00', timezone: 'UTC' })
  const runId = await fire(40)
  await sql`update runs set started_at = now(), touched_at = now() + interval '1 day' where id = ${runId}`
  await sql`update occurrences set watch_until = null`
  await setClock(sql, '2026-03-03T05:59:50Z')
  await look()
  expect(await messages()).toEqual([])
  await setClock(sql, '2026-03-03T06:00:10Z')
  await look()
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
  const [alert] = await sql`select message, run_id from alerts`
  expect(alert).toEqual({
    message: 'played 0 2 * * *: nothing finished by 06:00 (UTC); its run is open, 0 of 40 items through.',
    run_id: runId,
  })
  expect(await messagesSent()).toEqual([
    'alert.raised not_finished',
    'alert.resolved not_finished',
    'run.digest',
  ])
})

it('a night that missed its deadline and was then stopped is not resolved as if it had finished', async () => {
  const { project_id, agent_id, ctx, sql } = engine
  await setDeadline(ctx, { project_id, agent_id, schedule_id, finished_by: '06:00', timezone: 'UTC' })
  const runId = await fire(40)
  await sql`update runs set started_at = now(), touched_at = now() + interval '1 day' where id = ${runId}`
  await sql`update occurrences set watch_until = null`
  await setClock(sql, '2026-03-03T06:00:10Z')
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
  await sql`update runs set stop_reason = 'consecutive_failures' where id = ${runId}`
  await sweepStopped(sql, { project_id, run_id: runId }, 100)
  expect(await engine.run(runId)).toMatchObject({ status: 'failed', cancelled: 40 })
  await look()
  expect(await messages()).not.toContain('alert.resolved not_finished')
  expect((await sql`select resolved_at from alerts where rule = 'not_finished'`)[0]!.resolved_at).toBeNull()
  const [digest] = await sql`select id from deliveries where kind = 'run.digest'`
  expect(digest).toBeDefined()
})

/** Nobody has to call the agent for it: its address has a limit. */
const limitAgent = (requests: string | undefined) =>
  changeLimits(engine.ctx, { project_id: engine.project_id, host: 'http://played', label: '' }, { requests })

async function endNight(items: number): Promise<void> {
  const runId = await fire(items)
  await messagesSent()
  expect((await engine.run(runId)).finished_at).not.toBeNull()
  await engine.sql`delete from deliveries`
}

const finishBy = (finished_by: string) => {
  const { project_id, agent_id, ctx } = engine
  return setDeadline(ctx, { project_id, agent_id, schedule_id, finished_by, timezone: 'UTC' })
}

it('a night that cannot meet its deadline any more has one alert as soon as that is known, which is resolved when it ends [alerts.foreseen]', async () => {
  await endNight(40)
  await finishBy('06:00')
  await limitAgent('1/min')
  const runId = await fire(200, '2026-03-04T02:00:10Z')
  await look()
  expect(await messages()).toEqual([])
  await engine.sql`update runs set total_items = 400 where id = ${runId}`
  await look()
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
  expect((await engine.sql`select reason, message, command, run_id from alerts`)[0]).toEqual({
    reason: 'cannot_finish',
    message:
      'played 0 2 * * *: cannot be finished by 06:00 (UTC): about 6 h 46 min left at 1 request a minute of http://played.',
    command: `assay watch ${runId}`,
    run_id: runId,
  })
  await setClock(engine.sql, '2026-03-04T06:00:10Z')
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
  await limitAgent(undefined)
  await engine.sql`update runs set total_items = 200, touched_at = now() where id = ${runId}`
  expect(await messagesSent()).toEqual([
    'alert.raised not_finished',
    'alert.resolved not_finished',
    'run.digest',
  ])
})

it('a night that is to start and will be late has its alert the evening before', async () => {
  await endNight(40)
  await setClock(engine.sql, '2026-03-03T20:00:00Z')
  await finishBy('02:30')
  await look()
  expect(await messages()).toEqual([])
  await limitAgent('1/min')
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
  const [alert] = await engine.sql`select message, command, run_id from alerts`
  expect(alert).toEqual({
    message:
      'played 0 2 * * *: cannot be finished by 02:30 (UTC): it starts at 02:00 and takes about 40 min 37 s at 1 request a minute of http://played.',
    command: `assay schedules show ${schedule_id}`,
    run_id: null,
  })
})

it('a night that is over its deadline by less than an estimate may be wrong has no alert yet', async () => {
  await endNight(40)
  await setClock(engine.sql, '2026-03-03T20:00:00Z')
  await limitAgent('1/min')
  await finishBy('02:38')
  await look()
  expect(await messages()).toEqual([])
  await finishBy('02:35')
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
})

it('the next of two nights that are late has an alert of its own, though the first was resolved', async () => {
  await finishBy('06:00')
  for (const day of ['03', '04']) {
    const runId = await fire(40, `2026-03-${day}T02:00:10Z`)
    await engine.sql`update runs set started_at = now(), touched_at = now() + interval '1 day' where id = ${runId}`
    await engine.sql`update occurrences set watch_until = null`
    await setClock(engine.sql, `2026-03-${day}T06:00:10Z`)
    await look()
    await engine.sql`update runs set touched_at = now() where id = ${runId}`
    await messagesSent()
  }
  expect((await messages()).filter(what => what.startsWith('alert'))).toEqual([
    'alert.raised not_finished',
    'alert.raised not_finished',
    'alert.resolved not_finished',
    'alert.resolved not_finished',
  ])
})

it('an agent that others start has an alert if no run was started by its deadline', async () => {
  const { project_id, agent_id, ctx, sql } = engine
  await sql`update schedules set enabled = false, next_at = null`
  await setDeadline(ctx, {
    project_id,
    agent_id,
    schedule_id: null,
    finished_by: '06:00',
    timezone: 'Europe/Berlin',
  })
  const runId = await engine.submit(3)
  await consume(ctx)
  // The default of the column reads the wall clock.
  await sql`update runs set created_at = now() where id = ${runId}`
  await setClock(sql, '2026-03-03T05:00:10Z')
  await look()
  expect(await messages()).toEqual([])
  await setClock(sql, '2026-03-04T05:00:10Z')
  await look()
  expect(await messages()).toEqual(['alert.raised not_finished'])
  expect((await sql`select reason, message from alerts`)[0]).toEqual({
    reason: 'no_run',
    message: 'played: nothing finished by 06:00 (Europe/Berlin); no run was started.',
  })
})

it('a night has one digest, which says how it went and compares it with the night before [alerts.digest]', async () => {
  await fire(40)
  await messagesSent()
  engine.play(items =>
    items.map(
      item => (item.seq % 10 === 0 ? { ...result(item), degraded: 'no answer' } : result(item)) as never,
    ),
  )
  const runId = await fire(40, '2026-03-04T02:00:10Z')
  await messagesSent()
  await look()
  await deliver()
  await receiver.got(2)
  expect(await messages()).toEqual(['run.digest', 'run.digest'])
  const digests = receiver.received.map(one => JSON.parse(one.body))
  const last = digests.find(one => one.data.run.id === runId)
  expect(last).toMatchObject({
    type: 'run.digest',
    data: {
      name: 'played 0 2 * * *',
      ran: 'all 40',
      worked: '36 ok, 4 degraded',
      compared: expect.stringContaining('last time: 40 items, 100 % ok'),
      causes: [{ cause: expect.stringContaining('no answer'), items: 4 }],
      command: `assay recover --run ${runId} --dry-run`,
      links: {
        run: `http://127.0.0.1/dashboard/runs/${runId}`,
        results: `http://127.0.0.1/dashboard/runs/${runId}/results`,
        results_api: `http://127.0.0.1/v1/results?run_id=${runId}`,
      },
      schedule: { cron: '0 2 * * *', scheduled_for: '2026-03-04T02:00:00.000Z' },
      previous: { total_items: 40 },
    },
  })
})

it('a digest counts neither items that were held and went on nor verdicts that people corrected, and names a command only while something waits, on every channel', async () => {
  const night = async (at: string) => {
    engine.play(items =>
      items.map(item => {
        if (item.seq <= 3) return { ...result(item), degraded: 'no answer' } as never
        if (item.seq <= 5) return failure(item, 'agent_error', 'no such ticket')
        return item.seq <= 30
          ? { type: 'hold', seq: item.seq, attempt: item.attempt, reason: 'look' }
          : result(item)
      }),
    )
    const run_id = await fire(40, at)
    await consume(engine.ctx)
    engine.play(items => items.map(item => result(item)))
    for (let seq = 6; seq <= 30; seq++) await resumeItem(engine.ctx, engine.item(run_id, seq), {})
    await consume(engine.ctx)
    await callItemWrong(engine.ctx, engine.item(run_id, 1))
    return run_id
  }
  await addAlertChannel(engine.ctx, engine.project_id, { url: `${receiver.url}/second` })
  const first = await night('2026-03-03T02:00:10Z')
  const second = await night('2026-03-04T02:00:10Z')
  for (const seq of [2, 3, 4, 5]) await acknowledgeItem(engine.ctx, engine.item(second, seq))
  await look()
  await deliver()
  await receiver.got(4)
  const digests = receiver.received.map(one => JSON.parse(one.body).data).filter(data => data.run?.id)
  const causes = [
    { cause: expect.stringContaining('no such ticket'), items: 2 },
    { cause: expect.stringContaining('no answer'), items: 2 },
  ]
  for (const [run_id, command] of [
    [first, `assay recover --run ${first} --dry-run`],
    [second, null],
  ] as const) {
    const [digest, second, ...others] = digests.filter(data => data.run.id === run_id)
    expect([second, others]).toEqual([digest, []])
    expect(digest).toMatchObject({ worked: '36 ok, 2 degraded, 2 failed (1 corrected)', command })
    expect(digest.causes).toHaveLength(2)
    expect(digest.causes).toEqual(expect.arrayContaining(causes))
  }
})

it('a digest notes answers of another length than those of the night before [runs.checks]', async () => {
  await engine.deploy({ checks: ['length_jump'] })
  const night = async (words: number, at?: string) => {
    engine.play(items => items.map(item => result(item, `${item.seq} ${'word '.repeat(words)}`)))
    const runId = await fire(40, at)
    await consume(engine.ctx)
    await checkRuns(engine.ctx)
    await look()
    return runId
  }
  const before = await night(10)
  const runId = await night(50, '2026-03-04T02:00:10Z')
  await deliver()
  await receiver.got(2)
  const digests = receiver.received.map(one => JSON.parse(one.body).data)
  expect(digests.find(data => data.run.id === before).noticed).toEqual([])
  const { noticed, run } = digests.find(data => data.run.id === runId)
  expect(noticed).toEqual([expect.stringMatching(/^answers are 4\.\d times as long as in the run before/)])
  expect(run).toMatchObject({ status: 'completed', failed_checks: [{ before_run_id: before }] })
})

it('a night has one digest even if its writer dies midway, or several write it at once', async () => {
  await fire(40)
  await consume(engine.ctx)
  onFault(name => {
    if (name === 'alerts.before_commit') throw new Error('killed')
  })
  await expect(look()).rejects.toThrow('killed')
  onFault(undefined)
  expect(await messages()).toEqual([])
  await Promise.all([look(), look(), look()])
  await look()
  expect(await messages()).toEqual(['run.digest'])
})

it.each([
  [
    'slack',
    (body: { text: string; blocks: unknown[] }) => [body.text.split('\n')[0], body.blocks.length > 2],
  ],
  [
    'teams',
    (body: { attachments: { content: { body: { text: string }[]; type: string } }[] }) => [
      body.attachments[0]!.content.body[0]!.text.replaceAll('\\', ''),
      body.attachments[0]!.content.type === 'AdaptiveCard',
    ],
  ],
] as const)('a channel of the format %s gets the digest in its shape', async (format, read) => {
  await addAlertChannel(engine.ctx, engine.project_id, { url: receiver.url, format })
  await fire(40)
  await messagesSent()
  await deliver()
  await receiver.got(1)
  expect(read(JSON.parse(receiver.received[0]!.body))).toEqual([
    'played 0 2 * * * · ran: all 40 · worked: 40 ok',
    true,
  ])
})

it('a channel gets digests of other runs on request, and never of replays', async () => {
  await engine.submit(3)
  expect(await messagesSent()).toEqual([])
  await addAlertChannel(engine.ctx, engine.project_id, { url: receiver.url, digest: 'all' })
  await engine.submit(3)
  expect(await messagesSent()).toEqual(['run.digest'])
  const replay = await engine.submit(3)
  await engine.sql`update runs set replay_of = id where id = ${replay}`
  expect(await messagesSent()).toEqual(['run.digest'])
  await addAlertChannel(engine.ctx, engine.project_id, { url: receiver.url, digest: 'none' })
  await fire(2)
  expect(await messagesSent()).toEqual(['run.digest'])
})
