// What is removed with a run or with a deleted project.

import postgres from 'postgres'
import { expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Sql } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { callOkWrong } from '../../../shared/triage/queries/verdicts.ts'
import {
  RUN_TABLES,
  removeRunRows,
  removeRuns,
  removeUnusedBundles,
} from '../../../shared/upkeep/queries/removal.ts'
import { removeDeleted } from '../../../shared/upkeep/verbs/removal.ts'
import { failure, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting } from '../../support/on-cluster.ts'
import { testDatabase } from '../../support/stores.ts'

it('every table with rows of a run loses them when the run is removed', async () => {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ name: string }[]>`
      select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'run_id' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace
        and not exists (
          select from pg_constraint f
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'runs'::regclass and f.confdeltype = 'c'
        )
        -- These go with their project, agent or schedule; the run may go before. Causes are counted down with triage.
        and c.relname not in ('recoveries', 'alerts', 'occurrences', 'source_reads', 'cause_runs')
      order by 1`
    const removed: readonly string[] = [...RUN_TABLES, 'purges'] // purges go with the run itself
    expect(rows.map(row => row.name)).toContain('items')
    expect(rows.map(row => row.name).filter(name => !removed.includes(name))).toEqual([])
  } finally {
    await sql.end()
    await database.drop()
  }
})

it('a verdict that is called wrong while its run is being removed is removed with the run', async () => {
  const engine = await testEngine()
  const { sql } = engine
  try {
    await engine.deploy()
    const run_id = await engine.submit(1)
    await consume(engine.ctx)
    const runs = { project_id: engine.project_id, run_ids: [run_id] }
    let removed: Promise<number> | undefined
    await sql.begin(async tx => {
      expect(await callOkWrong(tx as unknown as Sql, engine.item(run_id, 1), null)).toBe(true)
      await removeRunRows(sql, runs, 100)
      removed = removeRuns(sql, runs)
      await eventually(async () => expect(await countWaiting(sql)).toBe(1))
    })
    expect(await removed).toBe(1)
    expect(await sql`select from triage`).toEqual([])
    expect(await callOkWrong(sql, engine.item(run_id, 1), null)).toBe(false)
  } finally {
    await engine.close()
  }
})

it('failures of a deleted project are no longer counted', async () => {
  const engine = await testEngine()
  const { sql } = engine
  try {
    await engine.deploy()
    engine.play(items => items.map(item => failure(item, 'agent_error')))
    await engine.submit([{ input: '"a"' }, { input: '"a"' }, { input: '"b"' }])
    await consume(engine.ctx)
    expect(await sql`select count from failure_clusters order by 1`).toEqual([{ count: 1 }, { count: 2 }])
    await sql`update projects set account_id = null where id = ${engine.project_id}`
    while ((await removeDeleted(engine.ctx)) > 0);
    for (const table of ['projects', 'triage', 'failure_clusters', 'causes', 'cause_runs'])
      expect(await sql`select from ${sql(table)}`).toEqual([])
  } finally {
    await engine.close()
  }
})

it('a long run that is deleted with its agent and with its project is removed once', async () => {
  const engine = await testEngine()
  const { sql, ctx, project_id } = engine
  try {
    const [agent_id, id] = [ctx.newId(), ctx.newRunId()]
    await sql`insert into agents ${sql({ id: agent_id, project_id, name: 'long', slug: 'long' })}`
    const total_items = LIMITS.sweep_items / 2 + 1
    await sql`insert into runs ${sql({ id, project_id, agent_id, total_items, finished_at: new Date() })}`
    await sql`update agents set deleted_at = now() where id = ${agent_id}`
    await sql`update projects set account_id = null where id = ${project_id}`
    while ((await removeDeleted(ctx)) > 0);
    for (const table of ['runs', 'agents', 'projects'])
      expect(await sql`select from ${sql(table)}`).toEqual([])
  } finally {
    await engine.close()
  }
})

// As on a cluster, where no foreign key names the bundles that are used.
it('bundles that no deployment uses are removed, except those of the last hour', async () => {
  const engine = await testEngine()
  const { sql } = engine
  try {
    await engine.deploy()
    const hashes = ['a', 'b', 'c', 'd', 'e']
    await sql`
      insert into bundles ${sql(hashes.map(hash => ({ hash, code: hash, created_at: new Date(0) })))}`
    await sql`update bundles set created_at = now() where hash = 'e'`
    await sql`update deployments set bundle_hash = 'b'`
    await removeUnusedBundles(sql, 2)
    expect(await sql`select hash from bundles order by 1`).toEqual([{ hash: 'b' }, { hash: 'e' }])
  } finally {
    await engine.close()
  }
})
