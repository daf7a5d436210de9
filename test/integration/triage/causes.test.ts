import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { acknowledgeItem, dismissItem, replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { findTopCauses, listCauses } from '../../../shared/triage/queries/causes.ts'
import { maskedWords } from '../../../shared/triage/rules/masking.ts'
import { CauseNamer } from '../../../shared/triage/verbs/name-causes.ts'
import { removeRunRows } from '../../../shared/upkeep/queries/removal.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import {
  centStep,
  conservation,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())
afterEach(() => engine.sql`delete from triage`)

const causesOf = (run_id: string) => listCauses(engine.sql, { run_id, limit: 100 })

const WORDS = [
  'lamp',
  'door',
  'printer',
  'garden',
  'bicycle',
  'invoice',
  'password',
  'window',
  'kettle',
  'mirror',
]
const promptOf = (n: number) =>
  Array.from({ length: 5 }, (_, i) => WORDS[(n * (i + 3) + Math.floor(n / 7) * i) % WORDS.length]).join(' ') +
  ` ${n}`

it('three faults are three causes, however many prompts they affect [causes.alike]', async () => {
  engine.play(items =>
    items.flatMap(item => {
      const { text } = item.input as { text: string }
      const fault = item.seq % 4
      if (fault === 0) return [result(item)]
      if (fault === 1)
        return [failure(item, 'llm_call_error', `500 the provider failed, request req_${item.seq}xyz`)]
      if (fault === 2) return [failure(item, 'agent_error', `No category fits ${text} of the list`)]
      return [step(item, `ask#${item.seq}`, { kind: 'llm_call', name: 'm', output: '' }), result(item, '')]
    }),
  )
  const run_id = await engine.submit(
    Array.from({ length: 3000 }, (_, n) => ({ input: JSON.stringify({ text: promptOf(n) }) })),
  )
  await consume(engine.ctx)
  const causes = await causesOf(run_id)
  expect(
    causes.map(({ count, waiting, step, error_code, template }) => [
      count,
      waiting,
      step,
      error_code,
      template,
    ]),
  ).toEqual(
    expect.arrayContaining([
      [750, 750, '', 'llm_call_error', '500 the provider failed, request *'],
      [750, 750, '', 'agent_error', 'No category fits * of the list'],
      [750, 750, 'ask', '', 'The output is empty.'],
    ]),
  )
  expect(causes).toHaveLength(3)
  expect(await findTopCauses(engine.sql, { project_id: engine.project_id, run_id }, 1)).toMatchObject([
    { count: 750 },
  ])
  expect(await conservation(engine, run_id)).toEqual([])
})

it('consumers that meet a fault at the same moment make one cause of it, and later items get the same [causes.stay]', async () => {
  const symptoms = (name: string) => ({
    step: 'ask',
    error_code: 'no_account',
    reason: 'agent_error',
    words: maskedWords(`The user ${name} has no account with this shop`, null),
  })
  const names = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay', 'gus', 'hal']
  const found = await Promise.all(
    names.map(name => new CauseNamer(engine.ctx).name(engine, [symptoms(name)])),
  )
  const ids = new Set(found.map(([cause]) => cause!.id))
  expect(ids.size).toBe(1)
  const later = await new CauseNamer(engine.ctx).name(engine, [symptoms('zoe')])
  expect(later[0]!.id).toBe([...ids][0])
  const [row] = await engine.sql`select template, varies from causes where id = ${later[0]!.id}`
  expect(row).toMatchObject({ template: expect.stringMatching(/^The user \w+ has no account/), varies: [2] })
})

it('a cause that was deleted is created again when an item has it', async () => {
  engine.play(items => items.map(item => failure(item, 'a_code', 'it broke')))
  const first = await engine.submit(1)
  await consume(engine.ctx)
  const [cause] = await causesOf(first)
  const namer = new CauseNamer(engine.ctx)
  const symptoms = { step: '', error_code: 'a_code', reason: 'agent_error', words: ['it', 'broke'] }
  expect(await namer.name(engine, [symptoms])).toMatchObject([{ id: cause!.id }])
  await engine.sql`delete from triage`
  await engine.sql`delete from causes`
  const second = await engine.submit(2)
  await consume(engine.ctx)
  expect(await causesOf(second)).toMatchObject([{ id: cause!.id, count: 2, runs: 1 }])
})

describe('the counts of a cause', () => {
  it('equal those of its rows, whatever is decided, replayed and removed', async () => {
    engine.play(items =>
      items.flatMap(item => [centStep(item, 'ask', 3), failure(item, 'a_code', 'it broke')]),
    )
    const first = await engine.submit(6)
    await consume(engine.ctx)
    const second = await engine.submit(2)
    await consume(engine.ctx)
    expect(await causesOf(first)).toMatchObject([{ count: 6, waiting: 6, runs: 2, cost_micro: 6 * 30_000 }])

    await dismissItem(engine.ctx, engine.item(first, 1))
    await acknowledgeItem(engine.ctx, engine.item(first, 2))
    await replayItem(engine.ctx, engine.item(first, 3), {})
    await consume(engine.ctx)
    expect(await causesOf(first)).toMatchObject([{ count: 6, waiting: 3, runs: 3 }])
    expect(await conservation(engine, first)).toEqual([])

    const all = { project_ids: [engine.project_id], limit: 10 }
    const today = new Date().toISOString().slice(0, 10)
    expect(await listCauses(engine.sql, all)).toMatchObject([{ count: 9, runs: 3 }])
    expect(await listCauses(engine.sql, { ...all, from_day: today })).toMatchObject([{ count: 9 }])
    expect(await listCauses(engine.sql, { ...all, to_day: '2026-01-01' })).toEqual([])

    while ((await removeRunRows(engine.sql, { project_id: engine.project_id, run_ids: [second] }, 1)) > 0);
    expect(await listCauses(engine.sql, all)).toMatchObject([{ count: 7, runs: 2 }])
    expect(await conservation(engine, first)).toEqual([])
  })

  it('include items that ended without being dispatched, once the tick has named their cause', async () => {
    engine.play(items => items.flatMap(item => [centStep(item, 'ask', 5), result(item)]))
    const run_id = await engine.submit(40, { budget_cents: 5, concurrency: 1 })
    await consume(engine.ctx)
    await sweep(engine.ctx)
    const [cause] = await causesOf(run_id)
    expect(cause).toMatchObject({
      reason: 'budget_exceeded',
      template: 'The run reached its budget before this item was dispatched.',
    })
    expect(cause!.count).toBe(Number((await engine.run(run_id)).budget_exceeded))
    expect(await conservation(engine, run_id)).toEqual([])
  })
})

it('an error after a model call that refused names that call in its message', async () => {
  engine.play(items =>
    items.flatMap(item => [
      step(item, 'classify', {
        kind: 'llm_call',
        name: 'm',
        output: "I'm sorry, but I can't help with that.",
      }),
      failure(item, 'agent_error', 'Unexpected end of JSON input'),
    ]),
  )
  const run_id = await engine.submit(1)
  await consume(engine.ctx)
  expect(await engine.items(run_id)).toMatchObject([
    { error_message: 'Unexpected end of JSON input. The last model call (classify) is a refusal.' },
  ])
  expect(await causesOf(run_id)).toMatchObject([{ step: 'classify', error_code: 'agent_error' }])
})
