// Two installations of sleeping functions in one Redis: each is woken by its own work, keeps its own time, and reports
// its own state, as long as at most one of them has no name.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countPresent } from '../../shared/redis/consumer-presence.ts'
import { eventually } from '../support/eventually.ts'
import { type Sleeping, startSleeping } from '../support/sleeping.ts'
import { testDatabase, testRedis } from '../support/stores.ts'

const PATIENCE_MS = 90_000

let parts: AsyncDisposableStack
beforeEach(() => {
  parts = new AsyncDisposableStack()
})
afterEach(() => parts.disposeAsync())

async function started(...names: (string | undefined)[]): Promise<Sleeping[]> {
  const redis = parts.adopt(await testRedis(), one => one.drop())
  const all: Sleeping[] = []
  for (const installation of names) {
    const database = parts.adopt(await testDatabase(), one => one.drop())
    const project = await startSleeping({ databaseUrl: database.url, redisUrl: redis.url, installation })
    parts.defer(() => project.close())
    all.push(project)
  }
  return all
}

/** What a unit says of itself. */
async function readiness({ functions }: Sleeping) {
  const response = await fetch(`${functions.runs.url}/health/ready`)
  return (await response.json()) as {
    status: string
    dependencies: { redis: { status: string; reason: string | null } }
    turns: Record<'tick' | 'consumer', { status: string }>
  }
}

describe.each([
  ['both named', 'production', 'staging'],
  ['one named and one without a name', 'staging', undefined],
  ['one without a name and one named', undefined, 'staging'],
])('of two installations in one Redis, %s,', (_, first, second) => {
  it('work of one is done while the consumer of the other is busy', { timeout: PATIENCE_MS }, async () => {
    const [their, our] = (await started(first, second)) as [Sleeping, Sleeping]
    const release = their.agent.hold()
    const theirRun = await their.submit(3)
    await their.agent.until(3)
    const ourRun = await our.submit(3)
    expect(await our.finished(ourRun)).toMatchObject({ status: 'completed', ok: 3 })
    expect(our.functions.consume.started()).toBe(1)

    await eventually(async () => expect((await readiness(their)).turns.consumer.status).toBe('ok'))
    const [theirs, ours] = [await readiness(their), await readiness(our)]
    expect([theirs.status, ours.status]).toEqual(['ready', 'ready'])
    expect([theirs.dependencies.redis.status, ours.dependencies.redis.status]).toEqual(['ok', 'ok'])
    release()
    expect(await their.finished(theirRun)).toMatchObject({ status: 'completed', ok: 3 })
    await our.toZero()
    await their.toZero()
    expect(await countPresent(our.redis)).toBe(0)
  })

  it('both ticks run when a cron that proves nothing calls them', { timeout: PATIENCE_MS }, async () => {
    const both = await started(first, second)
    for (const { env } of both) env.tick.ASSAY_TICK_OPEN = 'true'
    await Promise.all(both.map(({ functions }) => fetch(functions.tick.url, { method: 'POST' })))
    for (const one of both)
      await eventually(async () => expect((await readiness(one)).turns.tick.status).toBe('ok'))
  })
})

it('without names both installations say so, and what to set', { timeout: PATIENCE_MS }, async () => {
  const both = await started(undefined, undefined)
  for (const one of both) await one.call('tick')
  for (const one of both)
    await eventually(async () =>
      expect(await readiness(one)).toMatchObject({
        status: 'ready',
        dependencies: { redis: { status: 'degraded', reason: expect.stringMatching(/ASSAY_INSTALLATION/) } },
      }),
    )
  expect(both[1]!.functions.tick.pod()!.log()).toMatch(/redis_shared/)
})
