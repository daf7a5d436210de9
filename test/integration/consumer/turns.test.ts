// Which items start next while not all have room. No run waits for another run's agent or lock.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting } from '../../support/on-cluster.ts'

let engine: TestEngine
let consuming: Promise<unknown>
let wake: () => void
let stopping: AbortController
beforeEach(async () => {
  engine = await testEngine()
  stopping = new AbortController()
})
afterEach(async () => {
  stopping.abort()
  await consuming
  await engine.close()
})

function consumeUntilStopped(ctx: Context = engine.ctx) {
  consuming = consume(ctx, { stop: stopping.signal, onWake: wakes => (wake = wakes) })
}

const SINGLE = [{ input: '"single"' }]
const isSingle = ({ input }: { input: unknown }) => input === 'single'

/** Plays an agent that answers a single item at once, and items of a long run one by one when the test says so. */
function answerWhenAllowed() {
  let allowed = 0
  let next = Promise.withResolvers<void>()
  engine.play(async function* (items, { signal }) {
    for (const item of items) {
      while (!isSingle(item) && allowed === 0 && !signal.aborted)
        await Promise.race([next.promise, new Promise(resolve => signal.addEventListener('abort', resolve))])
      if (signal.aborted) return
      if (!isSingle(item)) allowed--
      yield result(item)
    }
  })
  return (items: number) => {
    allowed += items
    next.resolve()
    next = Promise.withResolvers()
  }
}

/** Creates a second project with an agent of its own, and returns the ids of both. */
async function anotherProject() {
  const { sql } = engine
  const [project_id, agent_id, version] = [engine.ctx.newId(), engine.ctx.newId(), engine.ctx.newId()]
  await sql`insert into projects (id, account_id, name) select ${project_id}, account_id, 'other' from projects`
  await sql`insert into project_usage ${sql({ project_id })}`
  await sql`insert into agents ${sql({ id: agent_id, project_id, name: 'other', slug: 'other' })}`
  await sql`insert into deployments (id, project_id, agent_id, version, kind, url, declaration)
    select ${version}, ${project_id}, ${agent_id}, 1, kind, url, declaration from deployments limit 1`
  await sql`update agents set current_deployment_id = ${version} where id = ${agent_id}`
  return { project_id, agent_id }
}

it('the next place that becomes free goes to a single item, although a longer run waits for all places', async () => {
  await engine.sql`update projects set settings = settings || '{"concurrency": 4}'`
  const answer = answerWhenAllowed()
  const long = await engine.submit(40)
  consumeUntilStopped()
  await eventually(() => expect(engine.requests.flat()).toHaveLength(4))
  const single = await engine.submit(SINGLE)
  wake()
  answer(1)
  await eventually(async () => expect(await engine.run(single)).toMatchObject({ status: 'completed' }))
  expect(engine.requests[1]!.map(isSingle)).toEqual([true])
  answer(39)
  await eventually(async () => expect(await engine.run(long)).toMatchObject({ status: 'completed' }))
  expect(await conservation(engine, long)).toEqual([])
})

it('a run does not wait while the project of another run is locked', async () => {
  const { sql } = engine
  await engine.submit(1)
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const locking = engine.apart().sql.begin(async held => {
    await held`select from project_usage where project_id = ${engine.project_id} for update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  consumeUntilStopped()
  await eventually(async () => expect(await countWaiting(sql)).toBeGreaterThan(0))
  const other = await engine.submit(1, await anotherProject())
  wake()
  await eventually(async () => expect(await engine.run(other)).toMatchObject({ status: 'completed' }))
  release.resolve()
  await locking
})

it('a quick agent gets places next to a hung one, although the hung agent has many items waiting and no cap', async () => {
  const most = LIMITS.items_in_flight_per_consumer
  await engine.sql`update projects set settings = settings || ${engine.sql.json({ concurrency: 2 * most })}`
  answerWhenAllowed()
  const slow = await engine.submit(most + 1000)
  consumeUntilStopped()
  const inFlight = async () => Number((await engine.run(slow)).running)
  await eventually(async () => expect(await inFlight()).toBeGreaterThanOrEqual((most * 7) / 8))
  const single = await engine.submit(SINGLE)
  wake()
  await eventually(async () => expect(await engine.run(single)).toMatchObject({ status: 'completed' }))
  expect(await inFlight()).toBeLessThan(most)
})

it('a run with full partitions is not queried again for every event in another project', async () => {
  const ITEMS = 30
  await engine.sql`update projects set settings = settings || '{"partition_concurrency": 1}'`
  const answer = answerWhenAllowed()
  const full = await engine.submit([{ partition_key: 'p' }, { partition_key: 'p' }])
  const others = await anotherProject()
  await engine.sql`update projects set settings = '{"concurrency": 1}' where id = ${others.project_id}`
  let asked = 0
  const sql = new Proxy(engine.sql, {
    apply(target, self, args) {
      if (String(args[0]).includes('waited_ms') && args.includes(full)) asked++
      return Reflect.apply(target as never, self, args)
    },
  })
  consumeUntilStopped({ ...engine.ctx, sql })
  await eventually(() => expect(asked).toBeGreaterThan(1))
  const before = asked
  const other = await engine.submit(Array(ITEMS).fill(SINGLE[0]), others)
  wake()
  await eventually(async () => expect(await engine.run(other)).toMatchObject({ status: 'completed' }))
  // Once for the notification, and once a second for changes without a notification.
  expect(asked - before).toBeLessThan(ITEMS / 2)
  answer(2)
})
