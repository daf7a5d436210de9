// A migration gives older rows the project of their run, while other sessions use them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { migrationTimes } from '../../../infra/migrate.ts'
import type { Sql } from '../../../shared/context.ts'
import { readRoleState } from '../../../shared/upkeep/queries/running-role.ts'
import { faultsOf } from '../../../shared/upkeep/rules/faults.ts'
import { migrate } from '../../support/migrate.ts'
import { emptyDatabase } from '../../support/stores.ts'

const BEFORE = 53
const EXPANDED = 54
const TABLES = [
  'items',
  'attempts',
  'due_items',
  'steps',
  'unindexed_steps',
  'purges',
  'replays',
  'ended_runs',
  'suspected_items',
  'delivery_tries',
]
const PROJECT = '00000000-0000-7000-8000-000000000002'
const RUN = '01999999-0000-7000-8000-000000000000'
const GONE = '01999999-0000-7000-8000-000100000000'

let parts = new AsyncDisposableStack()
let url: string
let sql: postgres.Sql
beforeEach(async () => {
  url = parts.adopt(await emptyDatabase(), one => one.drop()).url
  await migrate(url, undefined, (await migrationTimes())[BEFORE])
  sql = parts.adopt(postgres(url, { max: 4, onnotice: () => {} }), one => one.end({ timeout: 1 }))
  await writeBefore()
})
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

/** A row of each table, and an item whose run was removed. */
async function writeBefore() {
  await sql.unsafe(`
    insert into accounts (id, name) values ('00000000-0000-7000-8000-000000000001', 'a');
    insert into projects (id, account_id, name)
      values ('${PROJECT}', '00000000-0000-7000-8000-000000000001', 'p');
    insert into agents (id, project_id, name, slug) values ('00000000-0000-7000-8000-000000000003', '${PROJECT}', 'x', 'x');
    insert into runs (id, project_id, agent_id, total_items)
      values ('${RUN}', '${PROJECT}', '00000000-0000-7000-8000-000000000003', 3000);
    insert into items (run_id, seq, line, status, item_id, input)
      select '${RUN}', n, n, 'queued', n, repeat('1', 1000) from generate_series(1, 3000) n;
    insert into items (run_id, seq, line, status, item_id, input) values ('${GONE}', 1, 1, 'queued', 'x', '1');
    insert into attempts (run_id, seq, attempt, code) values ('${RUN}', 1, 1, 'gone');
    insert into due_items (run_id, seq, due_at) values ('${RUN}', 1, now());
    insert into purges (run_id, kind) values ('${RUN}', 'steps');
    insert into replays (from_run_id, from_seq, run_id, seq) values ('${RUN}', 1, '${RUN}', 2);
    insert into ended_runs (run_id) values ('${RUN}');
    insert into suspected_items (run_id, seq) values ('${RUN}', 1);
    insert into steps (run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
      values ('${RUN}', 1, 1, 1, 'llm_call', 'ok', now(), 1, 'k', 'n');
    insert into deliveries (id, project_id, kind, url) values ('${PROJECT}', '${PROJECT}', 'run.digest', 'https://x.test/');
    insert into delivery_tries (delivery_id, try) values ('${PROJECT}', 1)`)
}

async function projectsNamed() {
  const counts: Record<string, unknown> = {}
  for (const table of TABLES)
    counts[table] = [...(await sql`select distinct project_id from ${sql(table)}`)].map(row => row.project_id)
  return counts
}

const allNamed = Object.fromEntries(TABLES.map(table => [table, [PROJECT]]))

it('each row gets the project of its run, and rows without a project are refused afterwards [log.rows_moved]', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  parts.defer(() => said.mockRestore())
  await migrate(url)
  const lines = said.mock.calls.map(([line]) => JSON.parse(String(line)))
  expect(lines).toContainEqual(expect.objectContaining({ event: 'rows_moved', table: 'items', rows: 3001 }))
  expect(await projectsNamed()).toEqual(allNamed)
  expect(await sql`select count(*)::int as n from items`).toEqual([{ n: 3000 }])
  const columns = await sql`
    select attrelid::regclass::text as name from pg_attribute
    where attrelid = any(${TABLES}::regclass[]) and attname = 'project_id' and not attnotnull`
  expect([...columns]).toEqual([])
  expect([...(await sql`select conname from pg_constraint where conname like '%project_named'`)]).toEqual([])
})

const faults = async () => faultsOf(await readRoleState(sql as unknown as Sql))
const left = async () => (await sql`select from items where project_id is null`).count

it('the migration waits for locked rows, and blocks nobody meanwhile', async () => {
  await migrate(url, undefined, (await migrationTimes())[EXPANDED])
  const holder = await sql.reserve()
  await holder`begin`
  await holder`update items set attempt = 1 where run_id = ${RUN} and seq = 2000`
  const migrating = migrate(url)
  await expect.poll(left, { timeout: 20_000 }).toBe(1)
  expect(await faults()).toMatchObject([
    { code: 'schema_behind', says: expect.stringMatching(/infra\/migrate.ts is at it$/) },
  ])
  await holder`update items set attempt = 1 where run_id = ${RUN} and seq = 1` // a row that is moved already
  await holder`commit`
  holder.release()
  await migrating
  expect(await projectsNamed()).toEqual(allNamed)
})

it('the next migration continues a killed one, while an older version writes rows without a project', async () => {
  await migrate(url, undefined, (await migrationTimes())[EXPANDED])
  const holder = await sql.reserve()
  await holder`begin`
  await holder`select from items where run_id = ${RUN} and seq = 2000 for update`
  const killed = spawn(process.execPath, [join(import.meta.dirname, '../../support/migrate.ts')], {
    env: { ...process.env, DATABASE_URL: url },
  })
  await expect.poll(left, { timeout: 20_000 }).toBe(1)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(await left()).toBe(1)
  await expect
    .poll(faults)
    .toMatchObject([{ says: expect.stringMatching(/run infra\/migrate.ts of this version/) }])
  await sql`insert into items (run_id, seq, line, status, item_id, input) values (${RUN}, 4000, 4000, 'queued', 'y', '1')`
  await holder`commit`
  holder.release()
  await migrate(url)
  expect(await projectsNamed()).toEqual(allNamed)
  expect(await sql`select count(*)::int as n from items`).toEqual([{ n: 3001 }])
})
