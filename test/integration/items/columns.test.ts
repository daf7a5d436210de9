// Rows that are sent to PostgreSQL as packed columns: random rows arrive as they were sent, whatever values they share.

import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claimItems } from '../../../shared/claims/verbs/claim.ts'
import type { StepRow } from '../../../shared/grading/rules/step-row.ts'
import { OUTCOMES, STEP_KINDS } from '../../../shared/items/vocabulary.ts'
import { rowsOf } from '../../../shared/kernel/packed-columns.ts'
import type { Entry } from '../../../shared/settling/queries/entries.ts'
import { settle } from '../../../shared/settling/queries/settle.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { entryThatWorked } from '../../support/entries.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

// Few values each, so that columns are often the same, empty or null throughout.
const text = fc.constantFrom('', 'a', 'ü 語\n', '"\\u001e"', '{1,2}', 'null')
const textOrNull = fc.option(text, { freq: 2 })
const figure = fc.constantFrom(0, 1, 2_147_483_647)
const time = fc.constantFrom(0, 1_790_000_000_123, Date.UTC(2200, 0) - 1)

it('rows sent as packed columns arrive as they were sent', async () => {
  const row = fc.record({
    n: figure,
    small: fc.constantFrom(-32_768, 7),
    large: fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
    part: fc.constantFrom(0, 0.1, -1e300, 1e-7),
    is_so: fc.boolean(),
    said: text,
    note: textOrNull,
    kind: fc.constantFrom(...STEP_KINDS),
  })
  for (const rows of fc.sample(fc.array(row, { minLength: 1, maxLength: 4 }), { numRuns: 300, seed: 7 })) {
    const sent = rowsOf(engine.sql, rows, {
      n: ['int', r => r.n],
      small: ['smallint', r => r.small],
      large: ['bigint', r => r.large],
      part: ['float8', r => r.part],
      is_so: ['boolean', r => r.is_so],
      said: ['text', r => r.said],
      note: ['text', r => r.note],
      kind: ['step_kind', r => r.kind],
    })
    expect([...(await engine.sql`${sent}`)], JSON.stringify(rows)).toEqual(rows)
  }
})

const step = fc.record({
  kind: fc.constantFrom(...STEP_KINDS),
  outcome: fc.constantFrom(...OUTCOMES),
  outcome_reason: fc.constantFrom(null, 'refusal' as const),
  unpriced: fc.boolean(),
  billed: fc.boolean(),
  listed_micro: fc.constantFrom(null, 0, Number.MAX_SAFE_INTEGER),
  unread: textOrNull,
  told: fc.boolean(),
  reused: fc.boolean(),
  input_tokens: figure,
  output_tokens: figure,
  cost_micro: fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
  started_ms: time,
  duration_ms: fc.constantFrom(0, 0.1, 1e9),
  key: text,
  name: text,
  model: textOrNull,
  error_code: textOrNull,
  error_message: textOrNull,
  input: textOrNull,
  output: textOrNull,
})

it('steps are stored as their rows say, alone and together with others', async () => {
  const ITEMS = 2
  const runId = await engine.submit(ITEMS)
  const { claim } = await claimItems(engine.ctx, engine.key(runId), ITEMS)
  const flush = fc.array(fc.array(step, { maxLength: 3 }), { minLength: ITEMS, maxLength: ITEMS })
  for (const given of fc.sample(flush, { numRuns: 150, seed: 3 })) {
    const rows = given.flatMap((some, i) =>
      some.map((one, j) => ({ ...one, seq: i + 1, attempt: 1, step_no: j + 1 })),
    )
    if (rows.length === 0) continue
    const steps = rows.map((one): StepRow => ({ ...one, has_price: false, graded: false }))
    const entries = given.map(
      (some, i): Entry => entryThatWorked(i + 1, { verdict: null, steps_after: some.length }),
    )
    const undo = new Error('undone')
    let kept: unknown[] = []
    const trying = engine.sql.begin(async tx => {
      await settle(tx as never, {
        run_id: runId,
        project_id: engine.project_id,
        agent_id: engine.agent_id,
        entries,
        steps,
        claims: { held: [claim!.id], closed: [] },
        failure_streak: 0,
        streak_broken: false,
        unpriced_model: null,
        max_consecutive_failures: 9,
      })
      kept = [
        ...(await tx`
        select s.*, (extract(epoch from started_at) * 1000)::float8 as started_ms from steps s order by seq, step_no`),
      ]
      throw undo
    })
    await expect(trying).rejects.toBe(undo)
    const expected = rows.map(({ started_ms, ...one }) => ({
      ...one,
      run_id: runId,
      project_id: engine.project_id,
      started_ms,
      started_at: new Date(started_ms),
    }))
    expect(kept, JSON.stringify(given)).toEqual(expected)
  }
})
