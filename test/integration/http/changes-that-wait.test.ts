// Tests two changes of settings in a deadlock, of which PostgreSQL ends one.

import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agents } from '../../../shared/agents/tables/agents.ts'
import type { Context } from '../../../shared/context.ts'
import { type Change, recordChange } from '../../../shared/http/audit.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { onCluster } from '../../support/on-cluster.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

/** Renames two agents in turn; waits between them until the other changes have renamed their first. */
function renaming([first, second]: readonly [string, string], name: string, others: () => Promise<void>) {
  let times = 0
  const make = async ({ db }: Context) => {
    times++
    await db.update(agents).set({ name }).where(eq(agents.id, first))
    await others()
    await db.update(agents).set({ name }).where(eq(agents.id, second))
  }
  return { make, times: () => times }
}

/** A barrier: resolves once `count` callers have reached it; later callers pass at once. */
function meeting(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>()
  let come = 0
  return () => {
    if (++come === count) all.resolve()
    return all.promise
  }
}

it.skipIf(onCluster('who writes a reference table there waits before its first row'))(
  'makes both changes in a deadlock, and logs each once',
  async () => {
    const [account] = await engine.sql<{ id: string }[]>`select account_id as id from projects limit 1`
    const change = (operation_id: string): Change => ({
      operation_id,
      atomic: true,
      principal: {
        kind: 'session',
        account_id: account!.id,
        member_id: engine.ctx.newId(),
        session_id: engine.ctx.newId(),
        plan: {},
        name: 'somebody@example.com',
        role: 'owner',
        is_suspended: false,
      },
      params: {},
      body: {},
      lines: null,
      reply: { project_id: engine.project_id },
    })
    const [a, b] = [engine.agent_id, await engine.agent('other')]
    const met = meeting(2)
    const changes = { one: renaming([a, b], 'one', met), two: renaming([b, a], 'two', met) }
    await Promise.all(
      Object.entries(changes).map(([name, { make }]) => recordChange(engine.ctx, change(name), make)),
    )
    const named = await engine.sql`select distinct name from agents where id in (${a}, ${b})`
    expect(named).toHaveLength(1)
    const entries = await engine.sql`select action from audit_log where action in ('one', 'two') order by 1`
    expect(entries.map(entry => entry.action)).toEqual(['one', 'two'])
    // One change had to be made again; both, if PostgreSQL was so busy that each found the deadlock.
    const times = changes.one.times() + changes.two.times()
    expect([3, 4]).toContain(times)
  },
)

it('plans a dry run in a transaction, as the change would be made, and logs nothing', async () => {
  const [account] = await engine.sql<{ id: string }[]>`select account_id as id from projects limit 1`
  const member = { member_id: engine.ctx.newId(), session_id: engine.ctx.newId(), name: 'dry@example.com' }
  const principal = {
    kind: 'session',
    account_id: account!.id,
    ...member,
    plan: {},
    role: 'owner',
    is_suspended: false,
  } as const
  const made = { operation_id: 'createDeployment', atomic: true, principal, params: {}, lines: null } as const
  const change: Change = { ...made, body: { dry_run: true }, reply: { project_id: engine.project_id } }
  const began = await recordChange(engine.ctx, change, async ({ db }) => {
    const [one] = [...(await db.execute(sql`select now() as at`))]
    const [other] = [...(await db.execute(sql`select now() as at`))]
    return [one!.at, other!.at]
  })
  expect(began[0]).toEqual(began[1])
  expect(await engine.sql`select 1 from audit_log where actor_id = ${member.member_id}`).toHaveLength(0)
})
