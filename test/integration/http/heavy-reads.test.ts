// Reads that take seconds keep nobody else waiting, neither for a connection nor for a turn among heavy reads.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { readForAccount } from '../../../shared/accounts/queries/tenant.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { isUnreachable } from '../../../shared/kernel/unreachable.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
let app: ReturnType<typeof createApp>
beforeAll(async () => {
  engine = await testEngine()
  app = createApp(endpoints, () => engine.ctx)
})
afterAll(() => engine.close())

/** A caller with an account and a run of its own. */
async function caller() {
  const { sql, ctx } = engine
  const [account_id, project_id, agent_id, run_id] = [ctx.newId(), ctx.newId(), ctx.newId(), ctx.newRunId()]
  await sql`insert into accounts ${sql({ id: account_id, name: 'reads' })}`
  await sql`insert into projects ${sql({ id: project_id, account_id, name: 'reads' })}`
  await sql`insert into project_usage ${sql({ project_id })}`
  await sql`insert into agents ${sql({ id: agent_id, project_id, name: 'reads', slug: 'reads' })}`
  await sql`insert into runs ${sql({ id: run_id, project_id, agent_id, total_items: 1 })}`
  const { key } = await mintKey(ctx, project_id, 'reads')
  const ask = async (path: string) =>
    (await app.request(path, { headers: { authorization: `Bearer ${key}` } })).status
  return { verify: () => ask(`/v2/runs/${run_id}/verify`), runs: () => ask('/v2/runs') }
}

/** Holds up all verifications while `attack` runs, by a lock on a table that they read. */
async function held<T>(attack: () => Promise<T>): Promise<T> {
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>()
  const lock = engine.sql.begin(async tx => {
    await tx`lock table steps in access exclusive mode`
    locked()
    await isOver
  })
  await isLocked
  try {
    return await attack()
  } finally {
    over()
    await lock
  }
}

/** How many statements of verifications wait for that lock in PostgreSQL. */
const underWay = async () => {
  const [row] = await engine.sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%select count(*) as items%' and wait_event_type = 'Lock'`
  return row!.n
}

it('twelve hanging verifications leave plain reads their connections, and another account its turn', async () => {
  const [heavy, neighbour] = [await caller(), await caller()]
  await neighbour.runs()
  const { heavyReads, reads } = engine.ctx
  expect(reads.size).toBeGreaterThan(LIMITS.heavy_reads)
  const attack: Promise<number>[] = []
  await held(async () => {
    for (let n = 0; n < 12; n++) attack.push(heavy.verify())
    // The attack has arrived: its share is in PostgreSQL, and the rest waits for it.
    await expect.poll(underWay).toBe(LIMITS.heavy_reads_per_account)
    await expect.poll(() => heavyReads.waiting).toBe(12 - LIMITS.heavy_reads_per_account)
    // Behind the twelve these would never be answered: the twelve end with the lock, and the lock after these.
    for (const one of [neighbour, heavy]) for (let n = 0; n < 10; n++) expect(await one.runs()).toBe(200)
    attack.push(neighbour.verify())
    await expect.poll(underWay).toBe(LIMITS.heavy_reads_per_account + 1) // not behind the eleven
  })
  expect(await Promise.all(attack)).toEqual(Array(13).fill(200))
  expect(heavyReads.figures).toMatchObject({ in_use: 0, waiting: 0 })
})

it.each(['plain', 'heavy'] as const)(
  'PostgreSQL itself ends a %s read that takes too long, and limits no other statement',
  async kind => {
    const { ctx } = engine
    const [before] = await readForAccount(
      ctx.reads,
      ctx.newId(),
      ({ sql }) => sql`show statement_timeout`,
      kind,
    )
    expect(before).toEqual({ statement_timeout: `${LIMITS.statement_ms[kind] / 1000}s` })
    expect((await ctx.sql`show statement_timeout`)[0]).toEqual({ statement_timeout: '0' })
    const ended = readForAccount(
      ctx.reads,
      ctx.newId(),
      async ({ sql }) => {
        await sql`select set_config('statement_timeout', '50', true)`
        return sql`select pg_sleep(10)`
      },
      kind,
    ).catch(error => error)
    expect(await ended).toMatchObject({ code: '57014' })
    expect(isUnreachable(await ended)).toBe(true)
  },
)
