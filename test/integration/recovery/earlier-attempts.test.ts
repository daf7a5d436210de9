// What made the steps of an item whose attempts were by several codes, and how much is read to count the steps of held items.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Sql } from '../../../shared/context.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { madeOfHeld, makersOfReused } from '../../../shared/recovery/queries/makers.ts'
import { planRecovery, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { replayItem, resumeItem } from '../../../shared/recovery/verbs/replay.ts'
import { cohortPlanOf } from '../../../shared/recovery/wire/cohort.ts'
import {
  centStep,
  consumeToBackoff,
  failure,
  result,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'
import { findRecovery, recovered, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(async () => {
  onFault(undefined)
  await engine.close()
})

type End = (item: ItemLine) => AgentLine
const fails: End = item => failure(item, 'tool_call_error')
const holds: End = ({ seq, attempt }) => ({ type: 'hold', seq, attempt, reason: 'look' })

/** Makes the calls that are not recorded yet, and ends as code `version`. */
const answering = (version: string | undefined, keys: readonly string[], end: End) =>
  engine.play(function* (items: ItemLine[]) {
    for (const item of items) {
      for (const key of keys) if (!item.recorded.some(step => step.key === key)) yield centStep(item, key)
      yield { ...end(item), version } as AgentLine
    }
  })

const plan = async (more: Parameters<typeof recoveryOrder>[1] = {}) => {
  const { warnings, reused_versions } = cohortPlanOf(
    await planRecovery(engine.ctx, recoveryOrder(engine, more)),
  )
  return { warnings, reused_versions }
}

const made = (code_version: string | null, steps: number) => ({ deployment_version: 1, code_version, steps })

it('of steps that one code made before another ended their item, the code is not known [recoveries.versions]', async () => {
  answering('a3f', ['classify'], holds)
  const run_id = await engine.submit(1)
  await consume(engine.ctx)
  await resumeItem(engine.ctx, engine.item(run_id, 1), {})
  answering('b7c', ['classify', 'draft'], fails)
  await consume(engine.ctx)
  const reused_versions = [made(null, 1), made('b7c', 1)]
  expect(await plan()).toEqual({ warnings: [], reused_versions })
  const replay = await replayItem(engine.ctx, engine.item(run_id, 1), {})
  const found = await makersOfReused(engine.sql, engine.item(replay.run_id, 1))
  expect(found).toHaveLength(2)
  expect(found).toEqual(expect.arrayContaining(reused_versions.map(one => expect.objectContaining(one))))
})

const tryTwice = async (between: () => void) => {
  const run_id = await engine.submit(1)
  await consumeToBackoff(engine)
  between()
  await engine.skipBackoff()
  await consume(engine.ctx)
  expect(await engine.items(run_id)).toMatchObject([{ status: 'failed', attempt: 2 }])
}

it('so it is where a deploy behind the URL came between two attempts', async () => {
  await engine.deploy({ retries: 1 })
  answering('a3f', ['classify'], fails)
  await tryTwice(() => answering('b7c', ['classify', 'draft'], fails))
  const { reused_versions } = await plan()
  expect(reused_versions.map(({ code_version, steps }) => [code_version, steps])).toEqual([
    [null, 1],
    ['b7c', 1],
  ])
})

it('where only one code was known before and after, both attempts are its own', async () => {
  await engine.deploy({ retries: 1 })
  answering('a3f', [], item => result(item))
  await engine.submit(1)
  await consume(engine.ctx)
  answering('a3f', ['classify'], fails)
  await tryTwice(() => answering('a3f', ['classify', 'draft'], fails))
  const { reused_versions } = await plan()
  expect(reused_versions.map(({ code_version, steps }) => [code_version, steps])).toEqual([['a3f', 2]])
})

/** Adds steps that the items recorded in their first attempt. */
const addSteps = async (run_id: string, most: number) => {
  await engine.sql`
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
    select project_id, run_id, seq, 100 + n, 1, 'tool_call', 'ok', now(), 1, 'more ' || n, 'more'
    from items, generate_series(1, ${most}) n where run_id = ${run_id}`
  await engine.sql`update items set step_count = step_count + ${most} where run_id = ${run_id}`
}

/** The same connection, which adds to `read` how many rows its queries return. */
function counting(sql: Sql) {
  const read = { rows: 0 }
  const counted = new Proxy(sql, {
    apply(target, self, args) {
      const sent = Reflect.apply(target as never, self, args) as Promise<unknown[]>
      if (!Array.isArray(args[0]?.raw)) return sent
      const settled = sent.then.bind(sent)
      const value = (done: (rows: unknown[]) => unknown, failed: never) =>
        settled(rows => {
          read.rows += rows.length
          return done(rows)
        }, failed)
      Object.defineProperty(sent, 'then', { value })
      return sent
    },
  })
  return { sql: counted, read }
}

it('the steps of held items are counted where they are, and a resume of all is bounded by their number', async () => {
  answering('a3f', ['classify'], holds)
  const run_id = await engine.submit(3)
  await consume(engine.ctx)
  await addSteps(run_id, LIMITS.recovery_chunk_steps / 2)
  const { sql, read } = counting(engine.sql)
  const keys = [1, 2, 3].map(seq => engine.item(run_id, seq))
  const each = LIMITS.recovery_chunk_steps / 2 + 1
  expect(await madeOfHeld(sql, keys)).toMatchObject([{ code_version: 1, steps: 3 * each }])
  expect(read.rows).toBe(6)
  expect((await plan({ action: 'resume' })).reused_versions).toEqual([made('a3f', 3 * each)])
  let steps = 0
  onFault(name => {
    if (name === 'recovery.before_commit' && ++steps > 1) throw new Error('the process died')
  })
  const started = startRecovery(engine.ctx, recoveryOrder(engine, { action: 'resume' }))
  await expect(started).rejects.toThrow('the process died')
  const [{ id } = {}] = await engine.sql`select id from recoveries`
  expect(await findRecovery(engine, id)).toMatchObject({ decided: 1, reused: [{ steps: each }] })
  onFault(undefined)
  answering('a3f', ['classify'], item => result(item))
  expect(await recovered(engine, id)).toMatchObject({ decided: 3, reused: [{ steps: 3 * each }] })
})
