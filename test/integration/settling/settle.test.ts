// Values that PostgreSQL refuses, locks that statements wait for, and what is left of a run that has ended.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reapClaims } from '../../../shared/claims/queries/run-facts.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Sql } from '../../../shared/context.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import type { ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { dismissItem } from '../../../shared/recovery/verbs/replay.ts'
import { returnItems } from '../../../shared/settling/queries/returns.ts'
import { settle } from '../../../shared/settling/queries/settle.ts'
import { acknowledge, endWaiting, reopen, resume } from '../../../shared/triage/queries/decisions.ts'
import { CHORES, sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { conservation, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { entryThatWorked } from '../../support/entries.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting } from '../../support/on-cluster.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Resolves when so many statements wait for a lock. */
const waiting = (statements: number) =>
  eventually(async () => expect(await countWaiting(engine.sql)).toBe(statements))

/** Items in flight under one claim whose consumer is gone. */
async function abandoned(items: number) {
  const runId = await engine.submit(items)
  const seqs = Array.from({ length: items }, (_, i) => i + 1)
  const [claim] = await engine.sql<{ id: number }[]>`
    with taken as (update items set status = 'running', attempt = 1 where run_id = ${runId} returning seq, attempt),
    counted as (update runs set running = ${items}, next_seq = ${items + 1}, started_at = now() where id = ${runId}),
    used as (update project_usage set running = running + ${items} where project_id = ${engine.project_id})
    insert into claims (run_id, project_id, seqs, attempts, lease_until)
    select ${runId}, ${engine.project_id}, array_agg(seq), array_agg(attempt), now() - interval '1 second'
    from taken returning id`
  return { runId, seqs, claims: { held: [claim!.id], closed: [claim!.id] } }
}

/** A late result for all items of a claim; they worked unless `entries` says otherwise. */
const settleAll = (
  { runId, seqs, claims }: Awaited<ReturnType<typeof abandoned>>,
  entries = seqs.map(seq => entryThatWorked(seq)),
) =>
  settle(engine.sql, {
    run_id: runId,
    project_id: engine.project_id,
    agent_id: engine.agent_id,
    entries,
    steps: [],
    claims,
    failure_streak: 0,
    streak_broken: true,
    unpriced_model: null,
    max_consecutive_failures: 100,
  })

/** Returns all items of a claim for a retry, late. */
const returnAll = ({ runId, seqs, claims }: Awaited<ReturnType<typeof abandoned>>) => {
  const entry = { attempt: 1, code: 'yielded', message: '', delay_ms: 0, together: null, ran_ms: 0 }
  const returns = seqs.map(seq => ({ ...entry, seq, fault: 'none' as const }))
  return returnItems(engine.sql, { project_id: engine.project_id, run_id: runId }, returns, claims)
}

// This order of locks keeps the statements from deadlocking.
it.each([
  ['a result', (left: Awaited<ReturnType<typeof abandoned>>) => settleAll(left)],
  ['items given back', returnAll],
  ['the reaper', () => reapClaims(engine.sql, 10)],
])('%s: the run is locked before the usage of its project', async (_, send) => {
  const left = await abandoned(2)
  let sent: Promise<unknown> | undefined
  await engine.sql.begin(async tx => {
    await tx`select from runs where project_id = ${engine.project_id} and id = ${left.runId} for no key update`
    sent = send(left)
    await waiting(1)
    await tx`select from project_usage where project_id = ${engine.project_id} for no key update nowait`
  })
  await sent
  expect(await conservation(engine, left.runId)).toEqual([])
})

describe('the reaper', () => {
  it.each([
    ['a result', (left: Awaited<ReturnType<typeof abandoned>>) => settleAll(left)],
    ['an item given back', returnAll],
  ])('and %s that comes late do not deadlock', async (_, send) => {
    const left = await abandoned(2)
    let late: Promise<unknown> | undefined
    let reaped: Promise<unknown> | undefined
    await engine.sql.begin(async tx => {
      await tx`select from items where project_id = ${engine.project_id} and run_id = ${left.runId} and seq = 2 for update`
      late = send(left)
      await waiting(1)
      reaped = reapClaims(engine.sql, 10)
      // The late statement holds the claim, so the reaper finds nothing. Else it would wait for an item: a deadlock.
      await Promise.race([reaped, waiting(2)])
    })
    await Promise.all([late, reaped])
    expect(await engine.sql`select from claims`).toHaveLength(0)
    expect(await conservation(engine, left.runId)).toEqual([])
  })

  it('retries in one sweep all items of a dead consumer, however many claims they were in', async () => {
    const runId = await engine.submit(1000)
    await engine.sql`update items set status = 'running', attempt = 1 where run_id = ${runId}`
    await engine.sql`update runs set running = 1000, next_seq = 1001, started_at = now() where id = ${runId}`
    await engine.sql`update project_usage set running = 1000 where project_id = ${engine.project_id}`
    await engine.sql`
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select ${runId}, ${engine.project_id}, array[n], array[1], now() - interval '1 second' * n
      from generate_series(1, 1000) n`
    await sweep(
      engine.ctx,
      CHORES.filter(({ name }) => name === 'offer again what dead consumers held'),
    )
    expect(await engine.sql`select from claims`).toHaveLength(0)
    expect(await engine.run(runId)).toMatchObject({ running: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('ends claims in the order in which they expired, up to so many items, and none that was extended', async () => {
    const left = [await abandoned(3), await abandoned(3), await abandoned(3)]
    const [first, second] = left.map(({ claims }) => claims.held[0]!)
    await engine.sql`update claims set lease_until = now() - interval '9 seconds' where id = ${second!}`
    await engine.sql`update claims set lease_until = now() + interval '9 seconds' where id = ${first!}`
    expect(await reapClaims(engine.sql, 3)).toEqual([{ run_id: left[1]!.runId, items: 3 }])
    expect(await reapClaims(engine.sql, 10)).toEqual([{ run_id: left[2]!.runId, items: 3 }])
    expect(await reapClaims(engine.sql, 10)).toEqual([])
  })

  it('locks the runs concerned in the order of their ids', async () => {
    const runs = []
    for (let i = 0; i < 8; i++) runs.push((await abandoned(1)).runId)
    const [first, ...others] = runs.sort()
    await engine.sql`update runs set name = 'behind the others on disk' where id = ${first!}`
    let reaped: Promise<unknown> | undefined
    await engine.sql.begin(async tx => {
      await tx`select from runs where project_id = ${engine.project_id} and id = ${first!} for no key update`
      reaped = reapClaims(engine.sql, 10)
      await waiting(1)
      const free = await engine.sql`
        select id from runs where project_id = ${engine.project_id} and id = any(${others}::uuid[])
        order by id for no key update skip locked`
      expect(free.map(row => row.id)).toEqual(others)
    })
    await reaped
    for (const id of runs) expect(await conservation(engine, id)).toEqual([])
  })
})

describe('items that fail', () => {
  const said = {
    outcome_reason: 'agent_error',
    degraded_reason: null,
    error_message: 'no',
    output: null,
  } as const
  const verdict = { status: 'failed', outcome: 'failed', error_code: 'agent_error', ...said } as const

  /** In flight: one that was held and resumed, and one in its first attempt. */
  async function resumedAndNew() {
    const left = await abandoned(2)
    await engine.sql`update items set attempt = 2 where run_id = ${left.runId} and seq = 1`
    await engine.sql`update claims set attempts = '{2, 1}', lease_until = now() + interval '1 minute'`
    await engine.sql`insert into triage ${engine.sql({
      run_id: left.runId,
      seq: 1,
      project_id: engine.project_id,
      agent_id: engine.agent_id,
      lane: 'quarantine',
      reason: 'hold',
      disposition: 'resumed',
    })}`
    const cause = null
    const entries = [2, 1].map((attempt, i) =>
      entryThatWorked(i + 1, { attempt, verdict, prompt: `prompt ${i + 1}`, cause }),
    )
    return { left, fail: () => settleAll(left, entries) }
  }

  it('get their triage rows in one flush, whether or not they had one before', async () => {
    const { left, fail } = await resumedAndNew()
    expect(await fail()).toMatchObject({ recorded: 2, not_ok: 2, finished: true })
    expect(await fail()).toMatchObject({ recorded: 0 })
    const rows = await engine.sql`
      select seq, lane, reason, prompt, disposition from triage where run_id = ${left.runId} order by seq`
    const failed = { lane: 'dlq', reason: 'agent_error', disposition: null }
    expect(rows).toEqual([
      { seq: 1, prompt: 'prompt 1', ...failed },
      { seq: 2, prompt: 'prompt 2', ...failed },
    ])
    expect(await conservation(engine, left.runId)).toEqual([])
  })

  it('get their triage rows once their run is locked, and decisions under that lock find none of them', async () => {
    const { left, fail } = await resumedAndNew()
    const keys = left.seqs.map(seq => engine.item(left.runId, seq))
    let failing: Promise<unknown> | undefined
    await engine.sql.begin(async transaction => {
      const tx = transaction as unknown as Sql
      await tx`select from runs where project_id = ${engine.project_id} and id = ${left.runId} for no key update`
      failing = fail()
      await waiting(1)
      const seqs = await tx<{ seq: number }[]>`
          select seq from triage where project_id = ${engine.project_id} and run_id = ${left.runId} for update skip locked`
      expect(seqs).toEqual([{ seq: 1 }]) // the row of the resumed item, which the flush has not locked
      expect(await acknowledge(tx, keys)).toBe(0)
      expect(await resume(tx, keys)).toBe(0)
      expect(await endWaiting(tx, keys, { as: 'dismissed', one_by_one: true })).toBe(0)
      for (const key of keys) expect(await reopen(tx, key)).toBe(false)
    })
    expect(await failing).toMatchObject({ recorded: 2, finished: true })
    expect(await conservation(engine, left.runId)).toEqual([])
  })
})

describe('a value that PostgreSQL refuses', () => {
  beforeEach(async () => {
    await engine.sql`alter table items add check (output not like '%poison%')`
    await engine.sql`alter table steps add check (key <> 'poison')`
    await engine.sql`alter table attempts add check (code <> 'poison')`
  })

  const ended = async (runId: string) =>
    engine.sql`select seq, status, error_code, step_count from items where run_id = ${runId}
      and status <> 'completed' order by seq`

  it('fails only its own item, which keeps its earlier steps', async () => {
    engine.play(items =>
      items.flatMap(item => [step(item, 'before'), result(item, item.seq === 37 ? 'poison' : 'fine')]),
    )
    const runId = await engine.submit(100)
    await consume(engine.ctx)
    expect(await ended(runId)).toEqual([
      { seq: 37, status: 'failed', error_code: 'protocol_error', step_count: 1 },
    ])
    const [guilty] = await engine.sql`select error_message from items where run_id = ${runId} and seq = 37`
    expect(guilty!.error_message).toMatch(/^What the agent sent cannot be stored: .*check constraint/)
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', ok: 99, failed: 1 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('fails the item of a refused step, and later lines of the agent about that item are ignored [log.settle_refused]', async () => {
    let stepped: (() => void) | undefined
    const refused = new Promise<void>(resolve => (stepped = resolve))
    engine.play(async function* (items) {
      for (const item of items as ItemLine[]) yield step(item, item.seq === 2 ? 'poison' : 'fine')
      await eventually(() => expect(engine.log.join()).toContain('settle_refused'))
      stepped!()
      for (const item of items as ItemLine[]) yield result(item)
    })
    const runId = await engine.submit(3)
    await consume(engine.ctx)
    await refused
    expect(await ended(runId)).toEqual([
      { seq: 2, status: 'failed', error_code: 'protocol_error', step_count: 0 },
    ])
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', ok: 2, running: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('fails its item even if the attempt would be retried', async () => {
    await engine.deploy({ retries: 3 })
    engine.play(items => items.map(item => (item.seq === 2 ? failure(item, 'poison') : result(item))))
    const runId = await engine.submit(3)
    await consume(engine.ctx)
    expect(await ended(runId)).toMatchObject([{ seq: 2, status: 'failed', error_code: 'protocol_error' }])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('fails its item even if the agent was to answer later, and the item leaves its claim once', async () => {
    await engine.deploy({ item_budget_cents: 5 }) // so that each item is a request of its own
    engine.play(async function* ([item]) {
      if (item!.seq === 1) {
        yield step(item!, 'poison')
        yield { type: 'later' }
        return
      }
      await eventually(async () =>
        expect(await ended(runId)).toMatchObject([{ status: 'failed' }, { seq: 2 }]),
      )
      yield result(item!)
    })
    const runId = await engine.submit(2)
    expect(await consume(engine.ctx)).toMatchObject({ claimed: 2, settled: 2 })
    expect(await ended(runId)).toMatchObject([{ seq: 1, status: 'failed', error_code: 'protocol_error' }])
    expect(await conservation(engine, runId)).toEqual([])
  })
})

describe('a run that has ended has nothing due', () => {
  const due = (runId: string) => engine.sql`select from due_items where run_id = ${runId}`
  /** Leaves rows as an item does that was claimed at the cursor while it was due. */
  const plant = (runId: string) =>
    engine.sql`insert into due_items (project_id, run_id, seq, due_at)
      select project_id, run_id, seq, now() from items where run_id = ${runId} on conflict do nothing`

  it('when its last item settles', async () => {
    engine.play(async function* (items) {
      await plant(runId)
      for (const item of items) yield result(item)
    })
    const runId = await engine.submit(3)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed' })
    expect(await due(runId)).toHaveLength(0)
  })

  it('when it is cancelled, or its last held item dismissed', async () => {
    engine.play(([item]) => [{ type: 'hold', seq: item!.seq, attempt: item!.attempt, reason: 'look' }])
    const held = await engine.submit(1)
    await consume(engine.ctx)
    await plant(held)
    await dismissItem(engine.ctx, engine.item(held, 1))
    await engine.sql`update agents set current_deployment_id = null`
    const cancelled = await engine.submit(3)
    await plant(cancelled)
    await engine.sql`insert into due_items (project_id, run_id, seq, due_at)
      values (${engine.project_id}, ${cancelled}, 99, now())`
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: cancelled })
    for (const id of [held, cancelled]) expect(await due(id)).toHaveLength(0)
  })
})
