import { afterAll, beforeAll, expect, it } from 'vitest'
import { noteTurn } from '../../../shared/redis/turns.ts'
import { readQueue } from '../../../shared/upkeep/verbs/queue.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

it('a run that waits for long while no consumer is at work says so, and not while one is', async () => {
  const id = await engine.submit(3)
  const waits = async () =>
    (await readQueue(engine.ctx, engine.project_id)).runs.map(({ wait }) => wait?.token)
  expect(await waits()).toEqual([undefined])
  await engine.sql`update runs set touched_at = now() - interval '1 minute' where id = ${id}`
  expect(await waits()).toEqual(['no_consumer'])
  await noteTurn(engine.ctx.redis, 'consumer', engine.ctx.newId())
  expect(await waits()).toEqual([undefined])
})
