// What is told about upstreams without anybody asking: alerts, digests, and the figures that consumers are called by.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findDigests, findItemsWaiting, queueDigests } from '../../../shared/alerts/queries/digests.ts'
import { addAlertChannel } from '../../../shared/alerts/verbs/alerts.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { countBacklog, readGauges } from '../../../shared/upkeep/queries/backlog.ts'
import { watchForAlerts } from '../../../shared/upkeep/verbs/watch-alerts.ts'
import { advanceUpstreams } from '../../../shared/upstreams/queries/upstreams.ts'
import { failure, type TestEngine, testEngine } from '../../support/engine.ts'
import { letWait, type Shut, shut } from '../../support/upstreams.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
  await engine.deploy()
})
afterEach(() => engine.close())

/** A run of three items, of which two wait for an upstream as given. */
async function waiting(given: Partial<Shut> = {}) {
  const { project_id, sql } = engine
  const upstream_id = engine.ctx.newId()
  const run_id = await engine.submit(3)
  await shut(sql, { project_id, id: upstream_id, ...given })
  await letWait(sql, { project_id, run_id }, upstream_id, 2)
  return { upstream_id, run_id }
}

/** Checks for alerts as a host that has not checked yet; returns those that are open. */
async function look() {
  await watchForAlerts({ ...engine.ctx })
  return engine.sql<{ rule: string; reason: string; message: string; advice: string; command: string }[]>`
    select rule, reason, message, advice, command from alerts where resolved_at is null`
}

describe('an alert about an upstream', () => {
  it('is raised at once for empty credit, in the words of the provider, and resolved once it is open [alerts.upstreams]', async () => {
    const { upstream_id } = await waiting()
    expect(await look()).toEqual([
      {
        rule: 'upstream_unavailable',
        reason: 'out_of_credit',
        message: expect.stringMatching(
          /^Out of credit: api\.example\.com \(MODEL_KEY\) says: You exceeded your current quota\. 2 items wait for it, since 20/,
        ),
        advice: 'Add credit at the provider; what waits then continues by itself.',
        command: 'assay upstreams',
      },
    ])
    await engine.sql`update upstreams set state = 'open', pace = 4, since = now() where id = ${upstream_id}`
    expect(await look()).toEqual([])
  })

  it('names the variable to correct when the key is refused', async () => {
    await waiting({ state: 'refused' })
    const advice = 'Deploy the agent with a valid MODEL_KEY; what waits then continues by itself.'
    expect(await look()).toMatchObject([{ reason: 'refused', advice }])
  })

  it.each(['away', 'cooling'] as const)('is raised after ten minutes when it is %s', async state => {
    const { upstream_id } = await waiting({ state, since_s: 590 })
    expect(await look()).toEqual([])
    await engine.sql`update upstreams set since = now() - interval '610 seconds' where id = ${upstream_id}`
    expect(await look()).toMatchObject([{ reason: state, advice: expect.stringContaining('by itself') }])
  })

  it('is not raised while no item waits', async () => {
    const { project_id } = engine
    await shut(engine.sql, { project_id, id: engine.ctx.newId(), state: 'refused' })
    expect(await look()).toEqual([])
  })

  it('is the only one about a run that waits: no consumer has stalled', async () => {
    await waiting({ state: 'away', since_s: 1200 })
    await engine.sql`update runs set touched_at = now() - interval '1 hour'`
    expect((await look()).map(({ rule }) => rule)).toEqual(['upstream_unavailable'])
  })
})

it('items that wait for an upstream are no work that consumers could start, and age no gauge [upstreams.backlog]', async () => {
  const { run_id } = await waiting()
  await engine.sql`update runs set touched_at = now() - interval '1 hour'`
  expect(await countBacklog(engine.sql)).toMatchObject({ startable: 0 })
  expect(await readGauges(engine.sql)).toMatchObject({ items_waiting: 3, oldest_wait_s: 0 })
  await engine.sql`update due_items set due_at = now() where run_id = ${run_id} and seq = 1`
  expect(await countBacklog(engine.sql)).toMatchObject({ startable: 1 })
})

it('the digest of a run says what it waited for, and how long [alerts.digest-waited]', async () => {
  const { project_id, sql } = engine
  const { upstream_id, run_id } = await waiting()
  await sql`update runs set waits_since = now() - interval '42 minutes' where id = ${run_id}`
  await sql`update upstreams set state = 'open', next_at = now()`
  await advanceUpstreams(sql)
  expect(await engine.run(run_id)).toMatchObject({ waits_for: null, waited_for: [upstream_id] })
  await consume(engine.ctx)
  await addAlertChannel(engine.ctx, project_id, { url: 'https://example.org/hook', digest: 'all' })
  await queueDigests(sql, [engine.key(run_id)])
  const [sent] = await sql<{ id: string }[]>`select id from deliveries where kind = 'run.digest'`
  const end = (await findDigests(sql, [sent!.id])).get(sent!.id)!
  expect(end.waited_for_hosts).toEqual([{ host: 'api.example.com', label: 'MODEL_KEY' }])
  expect(Math.round(end.run.waited_ms / 60_000)).toBe(42)
})

it('a digest says what else of the project waits, all items of the runs that do [alerts.digest-waited]', async () => {
  const { project_id, sql } = engine
  expect(await findItemsWaiting(sql, project_id)).toEqual([])
  await waiting()
  const named = { host: 'api.example.com', label: 'MODEL_KEY', state: 'out_of_credit' }
  expect(await findItemsWaiting(sql, project_id)).toEqual([{ ...named, items: 3 }])
  await sql`update upstreams set state = 'open'`
  expect(await findItemsWaiting(sql, project_id)).toEqual([])
})

it('a replay is as patient as the run of its original', async () => {
  engine.play(items => items.map(item => failure(item, 'tool_call_error')))
  const run_id = await engine.submit(1, { patience_seconds: 7200 })
  await consume(engine.ctx)
  const replay = await replayItem(engine.ctx, engine.item(run_id, 1), {})
  expect(await engine.run(replay.run_id)).toMatchObject({ patience_seconds: 7200 })
})
