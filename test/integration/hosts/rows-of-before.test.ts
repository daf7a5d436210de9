// Rows written before they named their project: once the schema is migrated, queries by project find all of them.

import postgres from 'postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nameProjects } from '../../../infra/name-projects.ts'
import { whyItem } from '../../../shared/claims/verbs/why.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { listItems } from '../../../shared/items/queries/items.ts'
import { listRuns } from '../../../shared/items/queries/runs.ts'
import { recountRun } from '../../../shared/items/queries/verify.ts'
import { replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { resultsInChunks, slicesOf } from '../../../shared/results/queries/results.ts'
import { indexSteps } from '../../../shared/traces/queries/step-index.ts'
import { listTriage } from '../../../shared/triage/queries/triage.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { onCluster } from '../../support/on-cluster.ts'

const TABLES = [
  ...['items', 'attempts', 'due_items', 'steps', 'unindexed_steps', 'purges', 'replays', 'ended_runs'],
  ...['suspected_items', 'delivery_tries'],
]

let engine: TestEngine
/** Statements that restore the primary keys, which cannot exist while rows have no project. */
const keys: string[] = []
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const plays = (fails: (seq: number) => boolean) =>
  engine.play(async function* (items) {
    for (const item of items) {
      yield step(item, 'look')
      yield fails(item.seq) ? failure(item, 'tool_call_error') : result(item)
    }
  })

/** Leaves rows as the version before wrote them. */
async function forgetProjects() {
  for (const table of TABLES) {
    const [key] = await engine.sql<{ name: string; columns: string }[]>`
      select conname as name, pg_get_constraintdef(oid) as columns from pg_constraint
      where conrelid = ${table}::regclass and contype = 'p' and pg_get_constraintdef(oid) like '%project_id%'`
    if (key) {
      await engine.sql.unsafe(`alter table ${table} drop constraint ${key.name}`)
      keys.push(`alter table ${table} add constraint ${key.name} ${key.columns}`)
    }
    await engine.sql.unsafe(`alter table ${table} alter column project_id drop not null`)
    await engine.sql.unsafe(`update ${table} set project_id = null`)
  }
}

async function nameThem() {
  const sql = postgres(engine.urls.databaseUrl, { max: 1, onnotice: () => {} })
  await nameProjects(sql)
  for (const key of keys.splice(0)) await sql.unsafe(key)
  await sql.end()
}

/** What callers read of a run and its items. */
async function told(run_id: string) {
  const { sql, ctx, project_id } = engine
  const [project] = await sql`select account_id from projects`
  const account_id = project!.account_id as string
  const run = engine.key(run_id)
  const list = { ...run, total_items: 4, after_seq: 0, limit: 10 }
  const [all, failed] = [
    await listItems(ctx.db, list),
    await listItems(ctx.db, { ...list, outcome: 'failed' }),
  ]
  const runs = await listRuns(ctx.db, { account_id, project_id, item_id: 'item-3', limit: 10 })
  const triage = await listTriage(sql, { project_ids: [project_id], lanes: ['dlq'], limit: 10 }, 100)
  const results: unknown[] = []
  const slices = await slicesOf(sql, run)
  for await (const rows of resultsInChunks(make => make(sql), run, slices, { only: 'all', withInput: true }))
    results.push(...rows.map(({ item_id, outcome, input, tries }) => ({ item_id, outcome, input, tries })))
  return {
    items: all.rows.map(({ seq, status, outcome }) => ({ seq, status, outcome })),
    failed: failed.rows.map(({ seq }) => seq),
    runs: runs.map(({ id }) => id).sort(),
    triage: triage.map(({ run_id, seq, disposition, replay }) => ({ run_id, seq, disposition, replay })),
    results,
    why: (await whyItem(ctx, engine.item(run_id, 2)))?.token,
    ...(await recountRun(sql, run)),
  }
}

/** A run in which items 1 and 2 failed, and the replay of 1 failed too. */
async function workedOff() {
  plays(seq => seq < 3)
  const run_id = await engine.submit(4)
  await consume(engine.ctx)
  plays(() => true)
  await replayItem(engine.ctx, engine.item(run_id, 1), {})
  await consume(engine.ctx)
  return run_id
}

it.skipIf(onCluster('a database is migrated this far before it is distributed'))(
  'after the migration, lists, exports and recounts are what they were',
  async () => {
    const run_id = await workedOff()
    const before = await told(run_id)
    expect(before).toMatchObject({ failed: [1, 2], results: { length: 4 }, counters: { counts: { ok: 2 } } })
    await forgetProjects()
    expect((await told(run_id)).recount.counts.ok).toBe(0)
    await nameThem()
    expect(await told(run_id)).toEqual(before)
  },
)

it.skipIf(onCluster('a database is migrated this far before it is distributed'))(
  'after the migration, failed items can be replayed, and runs past their retention leave no rows',
  async () => {
    const { ctx, sql } = engine
    const run_id = await workedOff()
    const waiting = await engine.submit(3)
    await forgetProjects()
    await nameThem()
    plays(() => false)
    await replayItem(ctx, engine.item(run_id, 2), {})
    await replayItem(ctx, engine.item(run_id, 1), {})
    await consume(ctx)
    expect((await told(run_id)).results).toMatchObject(Array(4).fill({ outcome: 'ok' }))
    expect(await engine.run(waiting)).toMatchObject({ status: 'completed', ok: 3 })
    while ((await indexSteps(sql, 1000)) > 0);
    await sql`update projects set settings = settings || '{"record_retention_days": 1}'`
    ctx.now = () => Date.now() + 3 * 24 * 3600 * 1000
    await expect
      .poll(async () => {
        await sweep(ctx)
        return (await sql`select from runs`).count
      })
      .toBe(0)
    for (const table of ['items', 'steps', 'attempts', 'due_items', 'triage', 'purges'])
      expect(await sql`select from ${sql(table)}`, table).toHaveLength(0)
  },
)
