// The versions of the code behind a URL, as its answers name them: on items, runs and agents.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listCodeVersions, sumCodeVersions } from '../../../shared/agents/queries/code-versions.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { findRunVersions } from '../../../shared/items/queries/run-versions.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { resume } from '../../../shared/triage/queries/decisions.ts'
import { centStep, conservation, failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const by = (line: AgentLine, version: unknown) => ({ ...line, version }) as AgentLine

/** The context of a consumer whose agent answers with this header. */
const withHeader = (version: string, lines: (items: ItemLine[]) => AgentLine[] = works): Context => ({
  ...engine.ctx,
  async invokeAgent(_, { body }) {
    const items = body.split('\n').filter(Boolean)
    const text = lines(items.map(line => JSON.parse(line) as ItemLine)).map(
      line => `${JSON.stringify(line)}\n`,
    )
    return {
      status: 200,
      contentType: 'application/x-ndjson',
      header: name => (name === 'assay-code-version' ? version : null),
      body: (async function* () {
        yield new TextEncoder().encode(text.join(''))
      })(),
    }
  },
})
const works = (items: ItemLine[]) => items.map(item => result(item))

async function versionsOf(runId: string) {
  expect(await conservation(engine, runId)).toEqual([])
  const { project_id, agent_id, sql } = engine
  return await findRunVersions(sql, { project_id, agent_id, id: runId })
}

const codeOf = (n: number) => (n % 2 === 0 ? 'b71' : 'a3f')

describe('items that name the version of their code', () => {
  it('are counted by it, with what they came to and cost [runs.code-versions]', async () => {
    const runId = await engine.submit(6)
    engine.play(function* (items) {
      for (const item of items) {
        yield centStep(item, 'call')
        if (item.seq === 2) yield by(failure(item, 'agent_error'), 'b71')
        else if (item.seq === 3) yield by({ ...result(item), degraded: 'so so' } as AgentLine, 'a3f')
        else yield by(result(item), codeOf(item.seq))
      }
    })
    await consume(engine.ctx)
    expect(await versionsOf(runId)).toEqual([
      { name: 'a3f', ok: 2, degraded: 1, failed: 0, cost_micro: 30_000 },
      { name: 'b71', ok: 2, degraded: 0, failed: 1, cost_micro: 30_000 },
    ])
  })

  it('have two versions while a deployment rolls, however often they take turns', async () => {
    const runs = [await engine.submit(100), await engine.submit(100)]
    engine.play(items => items.map(item => by(result(item), codeOf(item.seq))))
    await Promise.all([consume(engine.ctx), consume(engine.apart())])
    for (const run of runs)
      expect((await versionsOf(run)).map(({ name, ok }) => [name, ok]).toSorted()).toEqual([
        ['a3f', 50],
        ['b71', 50],
      ])
    const known = await engine.sql`select name from code_versions order by name`
    expect(known.map(({ name }) => name)).toEqual(['a3f', 'b71'])
  })

  it('are named by the header of their answer, and a line of one by itself', async () => {
    const runId = await engine.submit(3)
    await consume(
      withHeader('a3f', items =>
        items.map(item => (item.seq === 2 ? by(result(item), 'b71') : result(item))),
      ),
    )
    expect((await versionsOf(runId)).map(({ name, ok }) => [name, ok])).toEqual([
      ['a3f', 2],
      ['b71', 1],
    ])
  })

  it('that failed in the answer of a version are its own too', async () => {
    const runId = await engine.submit(1)
    await consume(withHeader('a3f', items => items.map(item => ({ ...result(item), degraded: 5 }) as never)))
    expect(await versionsOf(runId)).toMatchObject([{ name: 'a3f', failed: 1 }])
  })

  it('are of the version that ended them, not of one that held them before', async () => {
    const runId = await engine.submit(1)
    engine.play(items =>
      items.map(item => by({ type: 'hold', seq: item.seq, attempt: item.attempt, reason: 'look' }, 'a3f')),
    )
    await consume(engine.ctx)
    expect(await versionsOf(runId)).toEqual([])
    engine.play(items => items.map(item => by(result(item), 'b71')))
    await resume(engine.sql, [engine.item(runId, 1)])
    await consume(engine.ctx)
    expect((await versionsOf(runId)).map(({ name, ok }) => [name, ok])).toEqual([['b71', 1]])
  })

  it('keep the name as one line of text, whatever was sent', async () => {
    const names = [
      '  a3f  ',
      'v1.2 (büro)',
      'first\nsecond',
      'x'.repeat(500),
      'tab\tafter',
      '\u0000\u001e!',
      '',
      null,
      '   ',
    ]
    const runId = await engine.submit(names.length)
    engine.play(items => items.map(item => by(result(item), names[item.seq - 1])))
    await consume(engine.ctx)
    const found = await versionsOf(runId)
    expect(found.map(({ name }) => name).toSorted()).toEqual([
      '!',
      'a3f',
      'first',
      'tab',
      'v1.2 (büro)',
      `${'x'.repeat(127)}…`,
    ])
    expect(await engine.run(runId)).toMatchObject({ ok: names.length })
  })

  it('end as protocol_error where the version is no text', async () => {
    const runId = await engine.submit(3)
    engine.play(items => items.map(item => by(result(item), [7, { git: 'a3f' }, ['a3f']][item.seq - 1])))
    await consume(engine.ctx)
    for (const { error_code, error_message } of await engine.items(runId))
      expect([error_code, error_message]).toEqual([
        'protocol_error',
        expect.stringContaining('version must be a string'),
      ])
  })
})

describe('a deployment', () => {
  it('has at most a hundred versions; all others count as one without a name', async () => {
    const more = 30
    const runId = await engine.submit(LIMITS.code_versions + more)
    engine.play(items => items.map(item => by(result(item), `build-${item.seq}`)))
    await consume(engine.ctx)
    const found = await versionsOf(runId)
    expect(found).toHaveLength(LIMITS.code_versions + 1)
    expect(found.at(-1)).toMatchObject({ name: null, ok: more })
  })

  it('has the same bound when many consumers meet new versions at once', async () => {
    const runs: string[] = []
    for (let n = 0; n < 6; n++) runs.push(await engine.submit(40))
    engine.play(items =>
      items.map(item => by(result(item), `${item.item_id} of ${item.seq % 2} ${runs.length}`)),
    )
    await Promise.all([engine.ctx, engine.apart(), engine.apart()].map(ctx => consume(ctx)))
    for (const run of runs) await versionsOf(run)
    const [{ n, distinct } = {}] = await engine.sql`
      select count(*)::int as n, count(distinct name)::int as distinct from code_versions`
    expect([n, distinct]).toEqual([40, 40])
  })

  it('keeps its versions apart from those of the next one', async () => {
    engine.play(items => items.map(item => by(result(item), 'a3f')))
    await engine.submit(1)
    await consume(engine.ctx)
    await engine.deploy()
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    expect((await versionsOf(runId)).map(({ name, ok }) => [name, ok])).toEqual([['a3f', 2]])
    const { project_id, agent_id } = engine
    const [{ deployment_id } = {}] = await engine.sql`select deployment_id from runs where id = ${runId}`
    const summed = await sumCodeVersions(engine.sql, { project_id, agent_id, deployment_id })
    expect(summed).toMatchObject([{ name: 'a3f', ok: 2 }])
    const known = await listCodeVersions(engine.ctx.db, { project_id, agent_id, deployment_id })
    expect(known).toEqual([{ no: 2, name: 'a3f' }])
  })
})

it('a flush that is sent again counts no item of a version twice', async () => {
  const runId = await engine.submit(4)
  engine.play(items => items.map(item => by(result(item), 'a3f')))
  let lost = 0
  const sql = new Proxy(engine.sql, {
    apply(target, self, args) {
      const sent = Reflect.apply(target as never, self, args) as Promise<unknown>
      if (lost > 0 || !String(args[0]).includes('with entry')) return sent
      lost++
      // Committed, and its answer never arrives.
      return sent.then(() => Promise.reject(Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' })))
    },
  })
  await consume({ ...engine.ctx, sql })
  expect(lost).toBe(1)
  expect((await versionsOf(runId)).map(({ name, ok }) => [name, ok])).toEqual([['a3f', 4]])
})

it('an item that names its version is settled by an update of its own page, as any other', async () => {
  const runId = await engine.submit(500)
  engine.play(items => items.map(item => by(result(item), 'a3f')))
  await consume(engine.ctx)
  expect((await versionsOf(runId)).map(({ ok }) => ok)).toEqual([500])
  // Counts of a backend are reported when it is idle, at most once a second.
  const updates = await eventually(async () => {
    const [row] = await engine.sql`
      select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'items'`
    expect(row!.all).toBeGreaterThanOrEqual(1000)
    return row!
  })
  // A statement of this database that began before an update keeps the older row: its page may be full then. An update that cannot
  // stay in its page, by an index, is half of all or more.
  expect(updates.hot).toBeGreaterThan(0.9 * updates.all)
})
