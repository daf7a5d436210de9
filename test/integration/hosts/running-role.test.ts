// Assay as a role that owns nothing: another role made the tables and granted it what infra/migrate.ts prints.

import { randomBytes } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { joinInstallation } from '../../../infra/node/installation.ts'
import { readInstallationId } from '../../../shared/accounts/queries/installation.ts'
import { grantTenantRole } from '../../../shared/accounts/queries/tenant-role.ts'
import { bootstrapAccount } from '../../../shared/accounts/verbs/bootstrap.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { dropSpentWeek } from '../../../shared/upkeep/queries/partitions.ts'
import { grantsFor, readRoleState } from '../../../shared/upkeep/queries/running-role.ts'
import { probe } from '../../../shared/upkeep/verbs/readiness.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { conservation, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { migrate } from '../../support/migrate.ts'
import { makeRunningRole, type RunningRole } from '../../support/running-role.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let engine: TestEngine
let role: RunningRole
beforeAll(async () => {
  engine = await testEngine({
    async through(databaseUrl) {
      role = await makeRunningRole(databaseUrl)
      return role.url
    },
  })
  parts.defer(async () => {
    await role.drop()
    await engine.close()
  })
})

it('the running role owns nothing and may create nothing', async () => {
  const [seen] = await engine.sql`
    select exists (select from pg_class where pg_get_userbyid(relowner) = current_user) as owns,
      has_schema_privilege('public', 'create') as may_make_tables, current_user::text as role`
  expect(seen).toEqual({ owns: false, may_make_tables: false, role: role.role })
})

it('the running role makes weeks of steps, finishes a batch, and counts right', async () => {
  engine.play(items =>
    items.flatMap(item => [
      step(item, 'look'),
      item.seq % 7 === 0 ? failure(item, 'tool_call_error') : result(item),
    ]),
  )
  const run = await engine.submit(50)
  await sweep(engine.ctx)
  await consume(engine.ctx)
  await sweep(engine.ctx)
  expect(await engine.run(run)).toMatchObject({ ok: 43, failed: 7, running: 0 })
  expect(await conservation(engine, run)).toEqual([])
  expect(await engine.sql`select from steps_default`.catch(error => error.code)).toBe('42501') // reachable through its parent only
  const [weeks] = await engine.sql`select count(*)::int as n from pg_class where relname ~ '^steps_[0-9]{8}$'`
  expect(weeks!.n).toBeGreaterThanOrEqual(3)
})

it('the running role answers callers, who see their own account and nothing else', async () => {
  const { key } = await mintKey(engine.ctx, engine.project_id, 'reader')
  const app = createApp(endpoints, () => engine.ctx)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const read = async (path: string) => {
    const answer = await app.request(path, { headers })
    expect(answer.status, path).toBe(200)
    return answer.json()
  }
  expect((await read('/v2/runs')).length).toBe(1)
  expect((await read('/v1/triage')).rows.length).toBe(7)
  expect((await read('/v1/steps?q=look')).steps.length).toBeGreaterThan(0)
  expect((await read('/v1/durable/runs/clusters')).total_failures).toBe(7)
  expect((await read('/v1/projects')).map((project: { id: string }) => project.id)).toEqual([
    engine.project_id,
  ])
  const [item] = (await read('/v1/triage')).rows
  const replayed = await app.request(`/v1/durable/runs/${item.record_id}/replay`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  expect(replayed.status).toBe(202)
})

it('the running role drops a week of steps that no run needs', async () => {
  const [{ week }] = (await engine.sql`
    select make_step_week('steps', date '2024-01-04', 10) as week`) as unknown as [{ week: boolean }]
  expect(week).toBe(true)
  const run_of_week = '018cd1e1-0000-7000-8000-000000000000' // 2024-01-04
  expect(await dropSpentWeek(engine.sql, run_of_week, Date.now())).toBe(true)
  expect(await engine.sql`select to_regclass('steps_20240104') as found`).toEqual([{ found: null }])
})

it('the running role can make weeks of steps only, of no other table and from no other day', async () => {
  await expect(engine.sql`select make_step_week('runs', date '2024-01-04', 10)`).rejects.toThrow(
    'no week of steps',
  )
  await expect(engine.sql`select make_step_week('steps', date '2024-01-05', 10)`).rejects.toThrow(
    'no week of steps',
  )
})

it('a role that may not ask for the number of its server is ready, and its installation has an id all the same', async () => {
  const database = new URL(engine.urls.databaseUrl).pathname
  const url = Object.assign(new URL(inject('stores').databaseUrl), { pathname: database }).href
  const owner = parts.adopt(postgres(url, { max: 1, onnotice: () => {} }), one => one.end())
  const connections = openConnections(engine.urls)
  parts.defer(() => connections.close())
  const whole = await readInstallationId(engine.ctx.sql)
  await owner`revoke execute on function pg_control_system() from public`
  try {
    expect(await probe({ ...engine.ctx, ...connections })).toMatchObject({ status: 'ready' })
    const id = await readInstallationId(connections.sql)
    expect([id.split('/').length, whole.split('/').length]).toEqual([2, 3])
    expect(whole.startsWith(`${id}/`)).toBe(true)
  } finally {
    await owner`grant execute on function pg_control_system() to public`
  }
})

/** A database whose owner is no superuser, as with managed PostgreSQL; in PostgreSQL 15 nobody else may make tables. */
async function managed() {
  const name = `managed_${randomBytes(6).toString('hex')}`
  const admin = postgres(inject('stores').databaseUrl, { max: 1, onnotice: () => {} })
  const app = `app_of_${name}`
  for (const role of [name, app]) await admin.unsafe(`create role ${role} login password 'x'`)
  await admin.unsafe(`create database ${name} owner ${name}`)
  await admin.unsafe(grantTenantRole(name))
  await admin.unsafe(`grant assay_tenant to ${name} with admin option`)
  parts.defer(async () => {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.unsafe(`drop owned by ${name}, ${app} cascade`)
    await admin.unsafe(`drop role ${name}, ${app}`)
    await admin.end()
  })
  const url = Object.assign(new URL(inject('stores').databaseUrl), {
    username: name,
    password: 'x',
    pathname: `/${name}`,
  })
  const sql = parts.adopt(postgres(url.href, { max: 1, onnotice: () => {} }), one => one.end())
  return { url: url.href, name, sql: sql as unknown as Sql, app }
}

it('an owner who is no superuser can grant a role its rights, repeatedly, and a migration adds those that are lacking', async () => {
  const { url, name, sql, app } = await managed()
  await migrate(url)
  const appUrl = Object.assign(new URL(url), { username: app }).href
  await expect(migrate(appUrl)).rejects.toMatchObject({
    code: 'role_lacks_rights',
    message: expect.stringContaining(`infra/migrate.ts --grants ${app} prints what it needs`),
  })
  for (const statement of [...grantsFor(app), ...grantsFor(app)]) await sql.unsafe(statement)

  const connections = openConnections({ databaseUrl: appUrl, redisUrl: inject('stores').redisUrl })
  const master_key = '11'.repeat(32)
  const ctx = createContext({ connections, config: { base_url: '', master_key } })
  expect(await joinInstallation(connections.sql, master_key)).toBeNull()
  expect(await bootstrapAccount(ctx)).toMatchObject({ api_key: expect.stringMatching(/^pk_/) })

  // As after a later migration: a table lacks rights that the role needs.
  await sql.unsafe(`revoke update on runs from ${app}; drop policy works_as_${app} on items`)
  expect((await readRoleState(connections.sql)).lacks).toHaveLength(2)
  await expect(joinInstallation(connections.sql, master_key)).rejects.toMatchObject({
    code: 'role_lacks_rights',
  })
  await migrate(url)
  expect((await readRoleState(connections.sql)).lacks).toEqual([])
  await migrate(appUrl) // there is nothing to do, so the role need not be the owner
  await connections.close()

  await sql`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`
  await expect(migrate(appUrl)).rejects.toMatchObject({
    code: 'schema_of_another_role',
    message: expect.stringContaining(`DATABASE_MIGRATE_URL to a URL that signs in as "${name}"`),
  })
})

/** What a later version makes, and what could not be granted before since it did not exist. */
const LATER = {
  tables: ['suspected_items', 'verdict_days', 'model_calls', 'saved_views'],
  functions: /make_step_week/,
}

/** The grants that were printed before that version. */
const grantsBefore = (role: string) =>
  grantsFor(role)
    .filter(statement => !LATER.functions.test(statement))
    .filter(statement => !LATER.tables.some(table => statement.includes(`'${table}'::regclass`)))
    .map(statement => LATER.tables.reduce((text, table) => text.replace(`, ${table}`, ''), statement))

it('a role with older grants is ready once a later version has migrated [health.unusable]', async () => {
  const { url, sql, app } = await managed()
  await migrate(url)
  for (const statement of grantsBefore(app)) await sql.unsafe(statement)
  const appUrl = Object.assign(new URL(url), { username: app }).href
  const redisUrl = inject('stores').redisUrl
  const connections = openConnections({ databaseUrl: appUrl, redisUrl, pool: { sql: 2, db: 1, reads: 1 } })
  parts.defer(() => connections.close())
  let now_ms = Date.now()
  const config = { base_url: '', master_key: '11'.repeat(32) }
  const ctx = { ...createContext({ connections, config }), now: () => now_ms }
  expect(await probe(ctx)).toMatchObject({ error: { message: expect.stringMatching(/^role .*lacks/) } })

  await migrate(url)
  now_ms += LIMITS.ready_rights_ms
  expect((await probe(ctx)).status).toBe('ready')
  for (const table of LATER.tables) await connections.sql`select from ${connections.sql(table)}`
})

it('granting warns what the owner of a schema that is closed to all has to run', async () => {
  const { url, name, app } = await managed()
  const there = Object.assign(new URL(inject('stores').databaseUrl), { pathname: `/${name}` })
  const warned: string[] = []
  const admin = parts.adopt(postgres(there.href, { max: 1 }), one => one.end())
  await admin.unsafe(`alter database ${name} owner to current_user; grant create on database ${name} to ${name};
    revoke all on schema public from public; grant usage, create on schema public to ${name}`)
  await migrate(url)
  const owner = parts.adopt(postgres(url, { max: 1, onnotice: one => warned.push(one.message!) }), one =>
    one.end(),
  )
  for (const statement of grantsFor(app)) await owner.unsafe(statement)
  const advice = `grant usage on schema public to ${app}`
  expect(warned).toContain(`the role ${app} may not use the schema: as the owner of that, run: ${advice}`)
  const own = parts.adopt(postgres(Object.assign(new URL(url), { username: app }).href, { max: 1 }), one =>
    one.end(),
  )
  expect((await readRoleState(own as unknown as Sql)).lacks[0]).toBe('usage on the schema of the tables')
  await admin.unsafe(advice)
  expect((await readRoleState(own as unknown as Sql)).lacks).toEqual([])
  warned.length = 0
  for (const statement of grantsFor(app)) await owner.unsafe(statement)
  expect(warned.filter(one => one.includes('may not use'))).toEqual([])
})
