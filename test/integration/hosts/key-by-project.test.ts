// Keys that begin with the project replace those that began with the run, while an older version still reads by run.

import postgres from 'postgres'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { migrationTimes } from '../../../infra/migrate.ts'
import { migrate } from '../../support/migrate.ts'
import { emptyDatabase } from '../../support/stores.ts'

const BEFORE = 58
const TABLES = ['items', 'attempts', 'due_items', 'triage', 'purges', 'steps', 'step_index']
const PROJECT = '00000000-0000-7000-8000-000000000002'
const AGENT = '00000000-0000-7000-8000-000000000003'
const RUN = '01999999-0000-7000-8000-000000000000'

let parts = new AsyncDisposableStack()
let url: string
let sql: postgres.Sql
beforeEach(async () => {
  url = parts.adopt(await emptyDatabase(), one => one.drop()).url
  sql = parts.adopt(postgres(url, { max: 4, onnotice: () => {} }), one => one.end({ timeout: 1 }))
})
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

/** Migrates to the old schema with a row per table; steps lie in a week of their own and in the default partition. */
async function before() {
  await migrate(url, undefined, (await migrationTimes())[BEFORE])
  await sql.unsafe(`
    insert into accounts (id, name) values ('00000000-0000-7000-8000-000000000001', 'a');
    insert into projects (id, account_id, name) values ('${PROJECT}', '00000000-0000-7000-8000-000000000001', 'p');
    insert into agents (id, project_id, name, slug) values ('${AGENT}', '${PROJECT}', 'x', 'x');
    insert into runs (id, project_id, agent_id, total_items) values ('${RUN}', '${PROJECT}', '${AGENT}', 3000);
    insert into items (project_id, run_id, seq, line, status, item_id, input)
      select '${PROJECT}', '${RUN}', n, n, 'queued', n, '1' from generate_series(1, 3000) n;
    insert into attempts (run_id, seq, attempt, code) values ('${RUN}', 1, 1, 'gone');
    insert into due_items (run_id, seq, due_at) values ('${RUN}', 1, now());
    insert into triage (run_id, seq, project_id, agent_id, lane, reason)
      values ('${RUN}', 1, '${PROJECT}', '${AGENT}', 'dlq', 'step_timeout');
    insert into purges (run_id, kind) values ('${RUN}', 'steps');
    insert into steps (run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
      values ('${RUN}', 1, 1, 1, 'llm_call', 'ok', now(), 1, 'k', 'n');
    select make_step_week('steps', date '2025-09-25', 10);
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
      values ('${PROJECT}', '02999999-0000-7000-8000-000000000000', 1, 1, 1, 'llm_call', 'ok', now(), 1, 'k', 'n')`)
}

/** Per table and partition: the first column of its primary key, and how many valid unique indexes it has. */
async function keys() {
  const rows = await sql<{ name: string; first: string; unique: number }[]>`
    select c.relname as name,
      (select attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and indisprimary and indisvalid) as first,
      (select count(*)::int from pg_index i where i.indrelid = c.oid and indisunique and indisvalid) as unique
    from pg_class c where c.oid = any(${TABLES}::regclass[])
      or c.oid in (select inhrelid from pg_inherits where inhparent = any(array['steps', 'step_index']::regclass[]))
    order by 1`
  return new Map(rows.map(({ name, ...key }) => [name, key]))
}

it('a new installation has only keys that begin with the project', async () => {
  await migrate(url)
  const made = await keys()
  expect(made.size).toBeGreaterThan(TABLES.length)
  for (const key of made.values()) expect(key).toEqual({ first: 'project_id', unique: 1 })
})

it('an older installation has both keys, in each week of steps, and the version before can still write [log.key_built]', async () => {
  await before()
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  parts.defer(() => said.mockRestore())
  await migrate(url)
  const lines = said.mock.calls.map(([line]) => JSON.parse(String(line)))
  expect(lines).toContainEqual(expect.objectContaining({ event: 'key_built', table: 'items' }))
  const made = await keys()
  for (const key of made.values()) expect(key.first).toBe('project_id')
  const filled = ['items', 'attempts', 'due_items', 'triage', 'purges', 'steps_20250925', 'steps_default']
  for (const name of filled)
    expect([name, made.get(name)]).toEqual([name, { first: 'project_id', unique: 2 }])
  // Like the version before, by the run alone.
  await sql`insert into due_items (run_id, seq, due_at) values (${RUN}, 1, now()) on conflict (run_id, seq) do update set alone = true`
  expect(await sql`select alone from due_items`).toEqual([{ alone: true }])
  const [plan] = await sql.unsafe(
    `explain (format json) select from items where run_id = '${RUN}' and seq = 7`,
  )
  expect(JSON.stringify(plan)).toContain('items_by_run')
  // A week made later gets its key from the table.
  await migrate(url)
  expect(new Set([...(await keys()).values()].map(key => key.first))).toEqual(new Set(['project_id']))
})

it('an index build that was cancelled is repeated by the next migration', async () => {
  await before()
  const holder = await sql.reserve()
  await holder`begin`
  await holder`select from items limit 1`
  const stopped = postgres(url, { max: 1, onnotice: () => {} })
  const building = stopped`create unique index concurrently items_by_project on items (project_id, run_id, seq)`
  const left = building.catch(() => 'stopped')
  await expect
    .poll(
      async () => (await sql`select from pg_index where indexrelid = to_regclass('items_by_project')`).count,
    )
    .toBe(1)
  await building.cancel()
  await left
  await stopped.end()
  await holder`commit`
  holder.release()
  expect(await sql`select indisvalid from pg_index where indexrelid = 'items_by_project'::regclass`).toEqual([
    { indisvalid: false },
  ])
  await migrate(url)
  expect((await keys()).get('items')).toEqual({ first: 'project_id', unique: 2 })
})
