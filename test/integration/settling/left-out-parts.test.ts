// A flush without steps leaves out the parts of the statement that are about steps. Over random rows it leaves the same in
// every table as the statement with all parts.

import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claimItems } from '../../../shared/claims/verbs/claim.ts'
import type { Sql } from '../../../shared/context.ts'
import type { Verdict } from '../../../shared/grading/rules/verdict.ts'
import type { Entry, Flush } from '../../../shared/settling/queries/entries.ts'
import { OK, settle } from '../../../shared/settling/queries/settle.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { entryThatWorked } from '../../support/entries.ts'

const ITEMS = 5
let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Mostly as a claim left it; otherwise it was settled, returned or claimed again meanwhile. */
const item = fc.record({
  status: fc.constantFrom('running', 'running', 'running', 'queued', 'completed'),
  attempt: fc.constantFrom(1, 1, 1, 2),
  step_count: fc.constantFrom(0, 0, 0, 3),
  unpriced: fc.boolean(),
  cost_micro: fc.nat({ max: 9 }),
  outcome_reason: fc.constantFrom(null, 'of an attempt before'),
})
const ok = fc
  .constantFrom(null, 'null', '{"said":"\\u0000 ü 語"}', '[]')
  .map((output): Verdict => ({ ...OK, output }))
const failed = {
  status: 'failed',
  outcome: 'failed',
  outcome_reason: 'agent_error',
  degraded_reason: null,
  error_code: 'upstream_down',
  error_message: 'no',
  output: null,
} as const
const notOk = fc.constantFrom<Verdict>(
  failed,
  { ...failed, error_code: '', error_message: '' },
  { ...failed, status: 'budget_exceeded', outcome_reason: 'budget_exceeded', error_code: 'budget_exceeded' },
  { ...OK, outcome: 'degraded', outcome_reason: 'empty_output', degraded_reason: 'nothing', output: '""' },
)
const state = fc.record({
  items: fc.array(item, { minLength: ITEMS, maxLength: ITEMS }),
  verdicts: fc.oneof(
    fc.array(ok, { minLength: ITEMS, maxLength: ITEMS }),
    fc.array(fc.oneof(ok, notOk), { minLength: ITEMS, maxLength: ITEMS }),
    notOk.map(one => Array.from({ length: ITEMS }, () => one)),
  ),
  run: fc.record({
    total_items: fc.constantFrom(ITEMS, ITEMS, ITEMS + 1),
    failed: fc.constantFrom(0, 0, 1),
    paused: fc.constantFrom(0, 0, 1),
    consecutive_failures: fc.nat({ max: 3 }),
    cost_micro: fc.nat({ max: 4 }),
    budget_micro: fc.constantFrom(null, 2),
    stop_reason: fc.constantFrom(null, null, 'cancelled' as const),
    finished_at: fc.constantFrom(null, null, null, new Date(0)),
  }),
  flush: fc.record({
    attempt: fc.constantFrom(1, 1, 1, 2),
    step_count: fc.constantFrom(0, 0, 3),
    size: fc.integer({ min: 1, max: ITEMS }),
  }),
  closes: fc.boolean(),
})
type State = typeof state extends fc.Arbitrary<infer T> ? T : never

const flushOf = (runId: string, claimId: number, { verdicts, flush, closes }: State): Flush => {
  const flushed = verdicts.slice(0, flush.size)
  const last = flushed.findLastIndex(({ status }) => status === 'completed')
  return {
    run_id: runId,
    project_id: engine.project_id,
    agent_id: engine.agent_id,
    entries: flushed.map((verdict, i) => entryOf(i + 1, verdict, flush)),
    steps: [],
    claims: { held: [claimId], closed: closes ? [claimId] : [] },
    failure_streak: flushed.slice(last + 1).filter(({ status }) => status === 'failed').length,
    streak_broken: last >= 0,
    unpriced_model: null,
    max_consecutive_failures: 2,
  }
}

const entryOf = (seq: number, verdict: Verdict, { attempt, step_count }: State['flush']): Entry =>
  entryThatWorked(seq, {
    attempt,
    steps_before: step_count,
    steps_after: step_count,
    verdict,
    prompt: verdict.error_code === null ? null : `${seq % 2}`,
    cause: verdict.outcome === 'ok' ? null : { ...CAUSE, error_code: verdict.error_code ?? '' },
  })

const CAUSE = { id: 'cause_0123456789ab', step: '', reason: 'agent_error', template: '' }

async function put(tx: Sql, runId: string, { items, run }: State): Promise<void> {
  for (const [i, row] of items.entries())
    await tx`update items set ${tx(row)} where run_id = ${runId} and seq = ${i + 1}`
  await tx`update runs set ${tx(run)} where id = ${runId}`
  await tx`insert into due_items (project_id, run_id, seq, due_at)
    values (${engine.project_id}, ${runId}, ${ITEMS}, now())`
}

/** Everything a flush writes and what it returns; of times only whether they are set. */
async function left(tx: Sql, said: unknown) {
  const [rows] = await tx`
    select (select jsonb_agg(to_jsonb(i) || jsonb_build_object('completed_at', completed_at is not null) order by seq) from items i) as items,
      (select jsonb_agg(to_jsonb(r) || jsonb_build_object('finished_at', finished_at is not null)) from runs r) as runs,
      (select jsonb_agg(to_jsonb(u)) from project_usage u) as usage, (select jsonb_agg(to_jsonb(c)) from claims c) as claims,
      (select count(*) from due_items) as due, (select count(*) from spending) as spent,
      (select jsonb_agg(to_jsonb(t) - 'created_at' order by seq) from triage t) as triage,
      (select jsonb_agg(to_jsonb(f) order by cluster_key) from failure_clusters f) as clusters,
      (select jsonb_agg(to_jsonb(c) - 'first_seen' - 'last_seen') from cause_runs c) as causes`
  return { said, ...rows }
}

/** An item that is not in the run, and does not end: with it, the statement has all parts. */
const withAllParts = (flush: Flush): Flush => ({
  ...flush,
  entries: [...flush.entries, entryThatWorked(ITEMS + 9, { verdict: null })],
})

it('a flush without steps settles the same with and without the parts of the statement for steps', async () => {
  const runId = await engine.submit(ITEMS)
  const { claim } = await claimItems(engine.ctx, engine.key(runId), ITEMS)
  const outcomes = new Set<string>()
  const after = async (given: State, flushed: (flush: Flush) => Flush) => {
    let rows: Awaited<ReturnType<typeof left>> | undefined
    const undo = new Error('undone')
    const trying = engine.sql.begin(async transaction => {
      const tx = transaction as unknown as Sql
      await put(tx, runId, given)
      rows = await left(tx, await settle(tx, flushed(flushOf(runId, claim!.id, given))))
      throw undo
    })
    await expect(trying).rejects.toBe(undo)
    return rows!
  }
  for (const given of fc.sample(state, { numRuns: 200, seed: 11 })) {
    const [all, short] = [await after(given, withAllParts), await after(given, flush => flush)]
    expect(short, JSON.stringify(given)).toEqual(all)
    outcomes.add(JSON.stringify(short.said).replace(/"recorded":[1-9]/, '"recorded":n'))
  }
  // Among them: nothing recorded, some of it, all of it with the run ended, stopped, or ended before.
  expect(outcomes.size).toBeGreaterThan(6)
})
