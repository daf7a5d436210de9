// A large nightly run and the morning after: three faults spoil 21,000 of 60,000 items, and one order runs them again.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { advanceRecoveries, planRecovery, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { resultsInChunks, slicesOf } from '../../../shared/results/queries/results.ts'
import { listCauses } from '../../../shared/triage/queries/causes.ts'
import { conservation, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { recoveryOrder } from '../../support/recoveries.ts'

const ITEMS = 60_000
const OF_EACH_FAULT = 7000

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
  await engine.deploy({ max_consecutive_failures: 1_000_000 })
})
afterAll(() => engine.close())

const asked = (item: ItemLine, output: string) =>
  step(item, 'ask', {
    kind: 'llm_call',
    name: 'test-model',
    output,
    usage: { model: 'test-model', input_tokens: 100, output_tokens: 10 },
  })

/** Three faults in turn for the first 21,000 items; each error contains words of its own item. */
function spoiled(item: ItemLine) {
  const { text } = item.input as { text: string }
  if (item.seq > 3 * OF_EACH_FAULT) return [asked(item, 'billing'), result(item, { category: 'billing' })]
  switch (item.seq % 3) {
    case 0:
      return [asked(item, ''), result(item, '')]
    case 1:
      return [failure(item, 'llm_call_error', `529 overloaded, request req_${item.seq}abc`)]
    default:
      return [asked(item, 'garden'), failure(item, 'agent_error', `No category fits ${text}`)]
  }
}

it('a large run with three faults has three causes, and one recovery of its 21,000 items leaves 60,000 results [causes.alike, results.once]', {
  timeout: 600_000,
}, async () => {
  engine.play(items => items.flatMap(spoiled))
  const run_id = await engine.submit(
    Array.from({ length: ITEMS }, (_, n) => ({
      input: JSON.stringify({ text: `question ${n} of ${n % 97} about ${(n * 31) % 1009}` }),
    })),
  )
  await consume(engine.ctx)
  expect(await engine.run(run_id)).toMatchObject({
    ok: ITEMS - 3 * OF_EACH_FAULT,
    undecided: 3 * OF_EACH_FAULT,
  })
  const causes = await listCauses(engine.sql, { run_id, limit: 100 })
  expect(causes.map(({ count, template }) => [count, template]).sort()).toEqual([
    [OF_EACH_FAULT, '529 overloaded, request *'],
    [OF_EACH_FAULT, 'No category fits *'],
    [OF_EACH_FAULT, 'The output is empty.'],
  ])
  expect(await conservation(engine, run_id)).toEqual([])

  engine.play(items => items.flatMap(item => [asked(item, 'billing'), result(item, { category: 'billing' })]))
  const order = recoveryOrder(engine, { filter: { run_id } })
  expect(await planRecovery(engine.ctx, order)).toMatchObject({
    eligible: 3 * OF_EACH_FAULT,
    ineligible: [],
    runs: 1,
  })
  const id = await startRecovery(engine.ctx, order)
  const again = await recovered(id)
  expect(await engine.run(again)).toMatchObject({ status: 'completed', ok: 3 * OF_EACH_FAULT })
  expect(await engine.run(run_id)).toMatchObject({ status: 'completed', undecided: 0 })
  for (const one of [run_id, again]) expect(await conservation(engine, one)).toEqual([])

  const seen = new Map<string, string | null>()
  const slices = await slicesOf(engine.sql, engine.key(run_id))
  const chunks = resultsInChunks(make => make(engine.sql), engine.key(run_id), slices, {
    only: 'all',
    withInput: false,
  })
  for await (const rows of chunks)
    for (const row of rows) {
      expect(seen.has(row.item_id)).toBe(false)
      seen.set(row.item_id, row.outcome)
    }
  expect(seen.size).toBe(ITEMS)
  expect(new Set(seen.values())).toEqual(new Set(['ok']))
})

/** Advances the recovery and consumes until it has ended; returns the run that it made. */
async function recovered(id: string): Promise<string> {
  for (;;) {
    await advanceRecoveries(engine.ctx)
    await consume(engine.ctx)
    const [row] = await engine.sql`select finished_at, run_ids from recoveries where id = ${id}`
    if (row!.finished_at !== null) return row!.run_ids[0]
  }
}
