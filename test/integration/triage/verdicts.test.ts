// Verdicts that people judge: called wrong, confirmed, asked about, and counted.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findCorrections } from '../../../shared/alerts/queries/digests.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { ItemKey } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { planRecovery, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import {
  acknowledgeItem,
  callItemWrong,
  confirmItem,
  dismissItem,
  reopenItem,
  replayItem,
} from '../../../shared/recovery/verbs/replay.ts'
import { type ResultScope, resultsInChunks, slicesOf } from '../../../shared/results/queries/results.ts'
import { indexSteps } from '../../../shared/traces/queries/step-index.ts'
import { findWithoutCause } from '../../../shared/triage/queries/causes.ts'
import { askQuestions } from '../../../shared/triage/queries/questions.ts'
import { listTriage } from '../../../shared/triage/queries/triage.ts'
import { listVerdicts } from '../../../shared/triage/queries/verdicts.ts'
import { nameUnnamed } from '../../../shared/triage/verbs/name-causes.ts'
import { triageEntryOf } from '../../../shared/triage/wire/triage.ts'
import { retain } from '../../../shared/upkeep/verbs/retention.ts'
import { conservation, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { countWaiting } from '../../support/on-cluster.ts'
import { recovered, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
  await engine.deploy({ max_consecutive_failures: 1_000_000 })
})
afterAll(() => engine.close())
afterEach(async () => {
  await engine.sql`delete from triage`
  await engine.sql`delete from verdict_days`
})

const REFUSED = "I'm sorry, but I can't help with that."
const SUSPECTED = 'I must decline.'

/** A run whose items end as their answers say; null is a failure. */
async function ranWith(answers: readonly (string | null)[]): Promise<string> {
  engine.play(function* (items) {
    for (const item of items) {
      const answer = answers[item.seq - 1]
      if (answer == null) yield failure(item, 'tool_call_error')
      else {
        yield step(item, 'ask', { kind: 'llm_call', output: answer })
        yield result(item, { answer })
      }
    }
  })
  const run_id = await engine.submit(answers.length)
  await consume(engine.ctx)
  return run_id
}

/** How many statements wait for a lock. */
const waiting = () => countWaiting(engine.sql)

const rowsOf = (run_id: string) =>
  engine.sql`select seq, lane, reason, disposition, corrected, judged from triage where run_id = ${run_id} order by seq`

const counted = async () => {
  const found = { project_ids: [engine.project_id], from_day: '2000-01-01', limit: 100 }
  const rows = await listVerdicts(engine.sql, found)
  return Object.fromEntries(rows.map(row => [row.reason, [row.confirmed, row.wrong]]))
}

/** The same counts, recounted from the triage rows that are kept. */
const recounted = async () => {
  const rows = await engine.sql`
    select reason, count(*) filter (where disposition <> 'wrong')::int as confirmed,
      count(*) filter (where disposition = 'wrong')::int as wrong
    from triage where judged group by 1`
  return Object.fromEntries(rows.map(row => [row.reason, [row.confirmed, row.wrong]]))
}

describe('a verdict that is called wrong', () => {
  it('stays as it was recorded, and its item counts as decided, as if it were dismissed [triage.wrong]', async () => {
    const run_id = await ranWith(['fine', REFUSED])
    const before = await engine.items(run_id)
    await callItemWrong(engine.ctx, engine.item(run_id, 2))
    expect(await rowsOf(run_id)).toMatchObject([{ seq: 2, disposition: 'wrong', corrected: 'ok' }])
    expect(await engine.items(run_id)).toEqual(before)
    expect(await engine.run(run_id)).toMatchObject({ undecided: 0, ok: 1, degraded: 1 })
    expect(await conservation(engine, run_id)).toEqual([])
    for (const act of [callItemWrong, dismissItem, confirmItem, replayItemOnce])
      await expect(act(engine.ctx, engine.item(run_id, 2))).rejects.toMatchObject({ status: 409 })
  })

  it('is open again after a reopen, and no longer counted [triage.reopen]', async () => {
    const run_id = await ranWith(['fine', REFUSED])
    await callItemWrong(engine.ctx, engine.item(run_id, 2))
    expect(await counted()).toEqual({ refusal: [0, 1] })
    await reopenItem(engine.ctx, engine.item(run_id, 2))
    expect(await rowsOf(run_id)).toMatchObject([{ disposition: null, corrected: null, judged: false }])
    expect(await engine.run(run_id)).toMatchObject({ undecided: 1 })
    expect(await counted()).toEqual({})
    expect(await conservation(engine, run_id)).toEqual([])
  })

  it('cannot be that of a failed item', async () => {
    const run_id = await ranWith([null])
    await expect(callItemWrong(engine.ctx, engine.item(run_id, 1))).rejects.toMatchObject({
      code: 'verdict_not_judgeable',
      message: expect.stringContaining('it did not return anything that could be right'),
    })
    expect(await counted()).toEqual({})
  })

  it('may be that of a whole cohort, which leaves out its failed items [recoveries.decide]', async () => {
    const run_id = await ranWith([REFUSED, REFUSED, null, 'fine'])
    const order = recoveryOrder(engine, { action: 'wrong', filter: { run_id } })
    const ineligible = [{ reason: 'not_judged', count: 1 }]
    expect(await planRecovery(engine.ctx, order)).toMatchObject({ eligible: 2, ineligible })
    expect(await recovered(engine, await startRecovery(engine.ctx, order))).toMatchObject({ decided: 2 })
    expect(await counted()).toEqual({ refusal: [0, 2] })
    expect(await engine.run(run_id)).toMatchObject({ undecided: 1 })
    expect(await conservation(engine, run_id)).toEqual([])
  })
})

const replayItemOnce = (ctx: TestEngine['ctx'], key: ItemKey) => replayItem(ctx, key, {})

describe('the count of right and wrong verdicts of a reason', () => {
  it('includes decisions about single items, and no dismissals of cohorts [verdicts.list]', async () => {
    const run_id = await ranWith([...Array.from({ length: 6 }, () => REFUSED), null])
    await dismissItem(engine.ctx, engine.item(run_id, 1))
    await replayItem(engine.ctx, engine.item(run_id, 2), {})
    await callItemWrong(engine.ctx, engine.item(run_id, 3))
    await acknowledgeItem(engine.ctx, engine.item(run_id, 4))
    await dismissItem(engine.ctx, engine.item(run_id, 7)) // a failure is no judgement
    const rest = recoveryOrder(engine, { action: 'dismiss', filter: { run_id } })
    await recovered(engine, await startRecovery(engine.ctx, rest))
    expect(await counted()).toEqual({ refusal: [2, 1] })
    expect(await recounted()).toEqual(await counted())
  })

  it('is exact, however many callers decide at once', async () => {
    const run_id = await ranWith(Array.from({ length: 12 }, () => REFUSED))
    const keys = Array.from({ length: 12 }, (_, n) => engine.item(run_id, n + 1))
    const acts = [callItemWrong, dismissItem, callItemWrong]
    const all = keys.flatMap(key => acts.map(act => act(engine.ctx, key)))
    const done = (await Promise.allSettled(all)).filter(one => one.status === 'fulfilled')
    expect(done).toHaveLength(12)
    expect(await recounted()).toEqual(await counted())
    await Promise.all(keys.map(key => reopenItem(engine.ctx, key)))
    expect(await counted()).toEqual({})
    expect(await conservation(engine, run_id)).toEqual([])
  })

  it('includes a decision once if an earlier version took it back and it was made again', async () => {
    const run_id = await ranWith([REFUSED])
    await callItemWrong(engine.ctx, engine.item(run_id, 1))
    await engine.sql`
      update triage set disposition = null, decided_at = null, corrected = null where run_id = ${run_id}`
    await callItemWrong(engine.ctx, engine.item(run_id, 1))
    expect(await counted()).toEqual({ refusal: [0, 1] })
    expect(await recounted()).toEqual(await counted())
  })

  it('outlives the items that it was counted from', async () => {
    const run_id = await ranWith([REFUSED])
    await callItemWrong(engine.ctx, engine.item(run_id, 1))
    await engine.sql`delete from triage where run_id = ${run_id}`
    expect(await counted()).toEqual({ refusal: [0, 1] })
  })

  it('is kept for verdicts_days days', async () => {
    const { project_id, agent_id } = engine
    const days = [LIMITS.verdicts_days, LIMITS.verdicts_days + 2]
    for (const ago of days)
      await engine.sql`
        insert into verdict_days (project_id, agent_id, reason, day, wrong)
        values (${project_id}, ${agent_id}, 'refusal', (now() at time zone 'UTC')::date - ${ago}::int, 1)`
    await retain(engine.ctx)
    expect(await counted()).toEqual({ refusal: [0, 1] })
  })
})

describe('an ok item that is called wrong', () => {
  it('appears in triage, and its run stays as it was [triage.wrong-ok]', async () => {
    const run_id = await ranWith(['fine', 'fine'])
    const before = [await engine.run(run_id), await engine.items(run_id)]
    await callItemWrong(engine.ctx, engine.item(run_id, 2))
    expect(await rowsOf(run_id)).toMatchObject([
      { seq: 2, lane: 'review', reason: 'called_wrong', disposition: null, corrected: 'degraded' },
    ])
    await nameUnnamed(engine.ctx)
    expect([await engine.run(run_id), await engine.items(run_id)]).toEqual(before)
    expect(await conservation(engine, run_id)).toEqual([])
    expect(await counted()).toEqual({})
  })

  it('can be replayed, dismissed, or found to have worked after all, like any row of triage', async () => {
    const run_id = await ranWith(['fine', 'fine', 'fine'])
    const before = await engine.run(run_id)
    for (const seq of [1, 2, 3]) await callItemWrong(engine.ctx, engine.item(run_id, seq))
    await replayItem(engine.ctx, engine.item(run_id, 1), {})
    await dismissItem(engine.ctx, engine.item(run_id, 2))
    await callItemWrong(engine.ctx, engine.item(run_id, 3), 'correction')
    expect(await rowsOf(run_id)).toMatchObject([
      { disposition: 'replayed', corrected: 'degraded' },
      { disposition: 'dismissed', corrected: 'degraded' },
      { disposition: 'wrong', corrected: null },
    ])
    expect(await counted()).toEqual({ called_wrong: [2, 1] })
    for (const seq of [2, 3]) await reopenItem(engine.ctx, engine.item(run_id, seq))
    expect(await rowsOf(run_id)).toMatchObject([
      { disposition: 'replayed' },
      { disposition: null, corrected: 'degraded' },
      { disposition: null, corrected: 'degraded' },
    ])
    expect(await counted()).toEqual({ called_wrong: [1, 0] })
    expect(await engine.run(run_id)).toEqual(before)
    expect(await conservation(engine, run_id)).toEqual([])
  })
})

it('rows for review have no cause, and no tick looks for one', async () => {
  const run_id = await ranWith(['fine', ...Array.from({ length: 20 }, () => SUSPECTED)])
  await callItemWrong(engine.ctx, engine.item(run_id, 1))
  while ((await indexSteps(engine.sql, 1000)) > 0);
  while ((await askQuestions(engine.ctx)) > 0);
  const rows = await engine.sql`select cause_id, reason from triage where run_id = ${run_id}`
  expect(new Set(rows.map(row => row.reason))).toEqual(new Set(['called_wrong', 'suspected_refusal']))
  expect(await findWithoutCause(engine.sql, 1000, 1_000_000)).toEqual([])
  expect(await engine.sql`select from triage where cause_id is null`).toEqual([])
  expect(await engine.sql`select from cause_runs where run_id = ${run_id}`).toEqual([])
  expect(await conservation(engine, run_id)).toEqual([])
  const feed = await listTriage(
    engine.sql,
    { project_ids: [engine.project_id], lanes: ['review'], run_id, limit: 100 },
    9,
  )
  const causes = feed.map(row => triageEntryOf(row, []).cause_id)
  expect(causes).toEqual(rows.map(() => null))
})

describe('a call that a verdict is wrong', () => {
  const open = { lane: 'review', disposition: null }
  const refused = { code: 'verdict_not_judgeable', status: 409 }

  it('succeeds once, however many callers make it at once or again [triage.wrong-ok]', async () => {
    const run_id = await ranWith(['fine'])
    const key = engine.item(run_id, 1)
    const calls = Array.from({ length: 6 }, () => callItemWrong(engine.ctx, key))
    const done = await Promise.allSettled(calls)
    expect(done.filter(one => one.status === 'fulfilled')).toHaveLength(1)
    for (const one of done)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ ...refused, message: expect.stringContaining('"correction"') })
    await expect(callItemWrong(engine.ctx, key, 'verdict')).rejects.toMatchObject(refused)
    expect(await rowsOf(run_id)).toMatchObject([{ ...open, reason: 'called_wrong', corrected: 'degraded' }])
    await callItemWrong(engine.ctx, key, 'correction')
    await expect(callItemWrong(engine.ctx, key, 'correction')).rejects.toMatchObject(refused)
    expect(await rowsOf(run_id)).toMatchObject([{ disposition: 'wrong', corrected: null }])
  })

  it('is refused if the item was asked about meanwhile, even while the call is under way', async () => {
    const run_id = await ranWith(['fine', 'fine'])
    const ask = (sql: Pick<TestEngine, 'sql'>['sql'], seq: number) => sql`
      insert into triage (run_id, seq, project_id, agent_id, lane, reason, cost_micro)
      values (${run_id}, ${seq}, ${engine.project_id}, ${engine.agent_id}, 'review', 'suspected_refusal', 0)`
    await ask(engine.sql, 1)
    const stale = { ...refused, message: expect.stringMatching(/asked about it: confirm .*"question"/) }
    await expect(callItemWrong(engine.ctx, engine.item(run_id, 1))).rejects.toMatchObject(stale)
    let called: Promise<PromiseSettledResult<void>[]> | undefined
    await engine.sql.begin(async sql => {
      await ask(sql as unknown as TestEngine['sql'], 2)
      called = Promise.allSettled([callItemWrong(engine.ctx, engine.item(run_id, 2))])
      await expect.poll(waiting).toBe(1)
    })
    expect(await called).toMatchObject([{ status: 'rejected', reason: stale }])
    const asked = { ...open, reason: 'suspected_refusal', corrected: null }
    expect(await rowsOf(run_id)).toMatchObject([asked, asked])
    for (const of of ['correction', 'verdict'] as const)
      await expect(callItemWrong(engine.ctx, engine.item(run_id, 2), of)).rejects.toMatchObject(refused)
  })
})

describe('results', () => {
  it('have the verdict that people gave, and say that it was corrected [results.corrected]', async () => {
    const run_id = await ranWith([REFUSED, REFUSED, 'fine', null])
    await callItemWrong(engine.ctx, engine.item(run_id, 1))
    await callItemWrong(engine.ctx, engine.item(run_id, 3))
    const verdictsOf = async (scope: ResultScope, only: 'all' | 'ok') => {
      const slices = await slicesOf(engine.sql, scope)
      const rows: unknown[][] = []
      const options = { only, withInput: false }
      for await (const chunk of resultsInChunks(make => make(engine.sql), scope, slices, options))
        rows.push(
          ...chunk.map(row => [row.seq, row.outcome, row.outcome_reason, row.corrected, row.recorded]),
        )
      return rows
    }
    const said = [
      [1, 'ok', null, true, 'degraded'],
      [2, 'degraded', 'refusal', false, 'degraded'],
      [3, 'degraded', 'called_wrong', true, 'ok'],
      [4, 'failed', 'step_error', false, 'failed'],
    ]
    const { project_id, agent_id } = engine
    const ofAgent = { project_id, agent_id, from_run_id: run_id }
    const ofRun = engine.key(run_id)
    for (const scope of [ofRun, { ...ofRun, replays: false as const }, ofAgent]) {
      expect((await verdictsOf(scope, 'all')).sort()).toEqual(said)
      expect(await verdictsOf(scope, 'ok')).toEqual(said.slice(0, 1))
    }
    expect(await findCorrections(engine.sql, project_id, [run_id])).toEqual([
      { run_id, to_ok: 1, to_degraded: 1 },
    ])
    await callItemWrong(engine.ctx, engine.item(run_id, 3), 'correction')
    expect(await verdictsOf(ofRun, 'ok')).toEqual([said[0], [3, 'ok', null, false, 'ok']])
  })
})

describe('a suspected refusal', () => {
  const asked = async (items: number) => {
    const run_id = await ranWith(Array.from({ length: items }, () => SUSPECTED))
    const before = await engine.run(run_id)
    while ((await indexSteps(engine.sql, 1000)) > 0);
    while ((await askQuestions(engine.ctx)) > 0);
    return { run_id, before, rows: await rowsOf(run_id) }
  }

  it('is asked about in a sample that depends on its item_id, up to a bound [triage.questions]', async () => {
    const { run_id, before, rows } = await asked(60)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(LIMITS.questions_per_agent)
    expect(new Set(rows.map(row => `${row.lane} ${row.reason}`))).toEqual(
      new Set(['review suspected_refusal']),
    )
    expect(await engine.run(run_id)).toEqual(before)
    expect(await conservation(engine, run_id)).toEqual([])
    await engine.sql`delete from triage`
    expect((await asked(60)).rows.map(row => row.seq)).toEqual(rows.map(row => row.seq))
    expect((await asked(400)).rows).toHaveLength(LIMITS.questions_per_agent - rows.length)
  })

  it('is asked about up to the same bound if ticks run concurrently and other items were called wrong', async () => {
    const called = await ranWith(Array.from({ length: 5 }, () => 'fine'))
    for (const seq of [1, 2, 3, 4, 5]) await callItemWrong(engine.ctx, engine.item(called, seq))
    const run_id = await ranWith(Array.from({ length: 300 }, () => SUSPECTED))
    while ((await indexSteps(engine.sql, 1000)) > 0);
    const tick = () => askQuestions(engine.ctx, 10)
    for (let asked = 1; asked > 0; )
      asked = (await Promise.all([tick(), tick(), tick()])).reduce((sum, one) => sum + one)
    expect(await rowsOf(run_id)).toHaveLength(LIMITS.questions_per_agent)
  })

  it('is confirmed or called wrong, and the verdict stays ok either way [triage.confirm]', async () => {
    const { run_id, before, rows } = await asked(60)
    const [yes, no] = rows.map(row => engine.item(run_id, row.seq as number))
    await confirmItem(engine.ctx, yes!)
    await callItemWrong(engine.ctx, no!, 'question')
    expect(await rowsOf(run_id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ seq: yes!.seq, disposition: 'confirmed', corrected: 'degraded' }),
        expect.objectContaining({ seq: no!.seq, disposition: 'wrong', corrected: null }),
      ]),
    )
    expect(await counted()).toEqual({ suspected_refusal: [1, 1] })
    expect(await engine.run(run_id)).toEqual(before)
    for (const [key, why] of [
      [yes!, 'it was confirmed already'],
      [no!, 'it was called wrong already'],
    ] as const)
      await expect(confirmItem(engine.ctx, key)).rejects.toMatchObject({
        code: 'verdict_not_judgeable',
        message: expect.stringContaining(why),
      })
    await reopenItem(engine.ctx, yes!)
    expect(await counted()).toEqual({ suspected_refusal: [0, 1] })
    await confirmItem(engine.ctx, yes!)
    expect(await replayItem(engine.ctx, yes!, {})).toMatchObject({ reused_steps: 0 })
  })
})
