// What a project did by day, when most of the days are over.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { daysSince } from '../../../shared/accounts/verbs/activity.ts'
import { newRunId } from '../../../shared/kernel/ids.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

const DAY_MS = 86_400_000

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const midnight = () => Math.floor(engine.ctx.now() / DAY_MS) * DAY_MS

async function runOf(days_ago: number, ok: number, state: 'open' | 'ended') {
  const at_ms = midnight() - days_ago * DAY_MS + 1000
  const [id, at] = [newRunId(at_ms, engine.ctx.random), new Date(at_ms)]
  await engine.sql`
    insert into runs (id, project_id, agent_id, total_items, next_seq, ok, created_at, finished_at)
    values (${id}, ${engine.project_id}, ${engine.agent_id}, 10, 11, ${ok}, ${at}, ${state === 'open' ? null : at})`
  return id
}

async function okByDay(days: number) {
  const { rows } = await daysSince(engine.ctx, engine.project_id, midnight() - days * DAY_MS)
  return Object.fromEntries(rows.map(row => [(midnight() - Date.parse(row.day)) / DAY_MS, row.ok]))
}

it('past days are not summed again, up to the first one with an open run', async () => {
  const over = await runOf(5, 10, 'ended')
  const open = await runOf(3, 4, 'open')
  const after = await runOf(2, 10, 'ended')
  expect(await okByDay(6)).toEqual({ 5: 10, 3: 4, 2: 10 })
  await engine.sql`update runs set ok = ok - 1 where id in (${over}, ${open}, ${after})`
  expect(await okByDay(6)).toEqual({ 5: 10, 3: 3, 2: 9 })
  await engine.sql`update runs set finished_at = created_at where id = ${open}`
  expect(await okByDay(5)).toEqual({ 5: 10, 3: 3, 2: 9 })
  await runOf(0, 1, 'open')
  await engine.sql`update runs set ok = ok - 1`
  expect(await okByDay(4)).toEqual({ 3: 3, 2: 9, 0: 0 })
})

it('replays that fail make no day worse, and are counted apart', async () => {
  const first = await runOf(1, 8, 'ended')
  const [again, mixed] = [await runOf(1, 0, 'ended'), await runOf(1, 3, 'ended')]
  await engine.sql`update runs set replay_of = ${first} where id = ${again}`
  await engine.sql`update runs set recovery_id = ${newRunId(0, engine.ctx.random)} where id = ${mixed}`
  const { rows } = await daysSince(engine.ctx, engine.project_id, midnight() - DAY_MS)
  expect(rows).toMatchObject([{ runs: 1, items: 10, ok: 8, replayed: 20, replayed_ok: 3 }])
})

it('all days are summed if more are asked for than are remembered', async () => {
  await runOf(8, 10, 'ended')
  await runOf(4, 10, 'ended')
  expect(await okByDay(5)).toEqual({ 4: 10 })
  expect(await okByDay(9)).toEqual({ 8: 10, 4: 10 })
})
