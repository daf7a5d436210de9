// The work of an account that is suspended and resumed, and of an installation that is held.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { readForAccount } from '../../../shared/accounts/queries/tenant.ts'
import { setStatus } from '../../../shared/accounts/verbs/accounts.ts'
import { whyItem } from '../../../shared/claims/verbs/why.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { stopCancelled } from '../../../shared/items/queries/stop.ts'
import { countBacklog } from '../../../shared/upkeep/queries/backlog.ts'
import { conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
let account_id: string
beforeEach(async () => {
  engine = await testEngine()
  const [project] = await engine.sql`select account_id from projects`
  account_id = project!.account_id
})
afterEach(() => engine.close())

const statuses = async (run_id: string) => (await engine.items(run_id)).map(item => item.status)

it('items in flight of a suspended account finish, no more are dispatched, and the rest continue when it is resumed [accounts.suspend, accounts.resume]', async () => {
  const [inFlight, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  engine.play(async function* (items) {
    inFlight.resolve()
    await mayEnd.promise
    for (const item of items) yield result(item)
  })
  const run = await engine.submit(3, { concurrency: 1 })
  const consuming = consume(engine.ctx)
  await inFlight.promise
  await setStatus(engine.ctx, account_id, 'suspended')
  mayEnd.resolve()
  await consuming
  expect(await statuses(run)).toEqual(['completed', 'queued', 'queued'])
  expect(await consume(engine.ctx)).toMatchObject({ claimed: 0 })
  expect(await whyItem(engine.ctx, engine.item(run, 2))).toMatchObject({ token: 'suspended' })
  expect((await countBacklog(engine.sql)).startable).toBe(0)

  await setStatus(engine.ctx, account_id, 'active')
  await consume(engine.ctx)
  expect(await statuses(run)).toEqual(['completed', 'completed', 'completed'])
  expect(await conservation(engine, run)).toEqual([])
})

it('a run of a suspended account can be cancelled and ends [accounts.suspend]', async () => {
  const run_id = await engine.submit(2)
  await setStatus(engine.ctx, account_id, 'suspended')
  await stopCancelled(engine.sql, engine.key(run_id))
  expect(await consume(engine.ctx)).toMatchObject({ claimed: 0 })
  expect(await statuses(run_id)).toEqual(['cancelled', 'cancelled'])
})

it('an item of a held installation is reported as held, and as next when the hold is over [items.why]', async () => {
  const run_id = await engine.submit(1)
  await engine.sql`update installation set held_since = now()`
  expect(await consume(engine.ctx)).toMatchObject({ claimed: 0 })
  const why = () =>
    readForAccount(engine.ctx.reads, account_id, stores =>
      whyItem({ ...engine.ctx, ...stores }, engine.item(run_id, 1)),
    )
  expect(await why()).toMatchObject({ token: 'held', message: expect.stringContaining('assay admin go-on') })
  await engine.sql`update installation set held_since = null`
  expect(await why()).toMatchObject({ token: 'next' })
})
