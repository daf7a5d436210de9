// A project moves to a database of its own, as infra/docs/backup.md says, while it is at work. The copy is made by
// `create database … template`, and of a cluster by a backup that is restored onto one machine.

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, inject, it, vi } from 'vitest'
import { backup } from '../../infra/backup/backup.ts'
import { checkBackup } from '../../infra/backup/format.ts'
import { restore } from '../../infra/backup/restore.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { endHold } from '../../shared/accounts/queries/installation.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { createProject } from '../../shared/accounts/verbs/projects.ts'
import { bundleAgent } from '../../shared/cli/bundle.ts'
import type { Sql } from '../../shared/context.ts'
import { readSigningSecret } from '../../shared/outbox/verbs/signing-secrets.ts'
import { AGENT, AT_WORK, type BusyProject, callAt, makeBusy, OPEN_ITEMS } from '../support/busy-project.ts'
import { CLUSTER } from '../support/on-cluster.ts'
import { startOutside } from '../support/outside.ts'
import { CHECKOUT, startStack } from '../support/stack.ts'
import { emptyDatabase, testDatabase } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'

const WHOLE_MS = 180_000
const WAIT_MS = 45_000
const MASTER_KEY = 'c3'.repeat(32)
const NAMES = ['moves', 'stays'] as const
const NOBODY = '00000000-0000-7000-8000-000000000000'
/** All messages of each project: one for every run, and one that its schedule missed occurrences. */
const MESSAGES = ['alerts', 'ended', 'held', 'open', 'spent', 'unheard']

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

const started = async (databaseUrl: string, api_key: string) =>
  parts.adopt(
    await startStack({
      on: { databaseUrl, api_key },
      masterKey: MASTER_KEY,
      env: { ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.0/8' },
    }),
    stack => stack.close(),
  )

const connected = (databaseUrl: string) =>
  parts.adopt(postgres(databaseUrl, { max: 1, onnotice: () => {} }) as unknown as Sql, sql => sql.end())

/** An account with a project that moves and one that stays, and another account with a project. */
async function accountsIn(databaseUrl: string) {
  const { redisUrl } = inject('stores')
  const connections = openConnections({ databaseUrl, redisUrl })
  await using closing = new AsyncDisposableStack()
  closing.defer(() => connections.close())
  const ctx = createContext({ connections, config: { base_url: '', master_key: MASTER_KEY } })
  const first = await bootstrapAccount(ctx)
  const [account] = await ctx.sql`select account_id as id from projects where id = ${first.project_id}`
  const stays = await createProject(ctx, { account_id: account!.id, name: 'stays' })
  const other = ctx.newId()
  await ctx.sql`insert into accounts ${ctx.sql({ id: other, name: 'another' })}`
  const foreign = await createProject(ctx, { account_id: other, name: 'foreign' })
  const keyed = async (id: string) => ({ id, key: (await mintKey(ctx, id, 'a key')).key })
  const { secret } = await readSigningSecret(ctx, first.project_id)
  return {
    foreign: await keyed(foreign.id),
    stays: await keyed(stays.id),
    moves: { id: first.project_id, key: first.api_key },
    secret,
  }
}

async function bundled(host: string) {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const file = join(folder.path, 'agent.ts')
  await writeFile(file, AGENT.replace('HOST', host))
  const { code, declaration } = await bundleAgent(file)
  return { code, declaration, env: {} }
}

async function copied(databaseUrl: string): Promise<string> {
  if (CLUSTER !== undefined) return restored(databaseUrl)
  const from = new URL(databaseUrl).pathname.slice(1)
  const name = `${from}_moved`
  const admin = connected(inject('stores').databaseUrl)
  parts.defer(async () => {
    await admin`drop database if exists ${admin(name)} with (force)`
  })
  await vi.waitFor(() => admin`create database ${admin(name)} template ${admin(from)}`, WAIT_MS)
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}

async function restored(databaseUrl: string): Promise<string> {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const file = join(folder.path, 'move.backup')
  await backup({ database: { url: databaseUrl }, file, now: () => new Date() })
  const { url } = parts.adopt(await emptyDatabase(), store => store.drop())
  await restore({ url }, file, await checkBackup(file), { masterKey: undefined, unsigned: true }, true)
  await endHold(connected(url))
  return url
}

/** Runs the file as psql does, and returns the names of what it took away. */
async function run(sql: Sql, file: string, project: string): Promise<string[]> {
  const text = readFileSync(join(CHECKOUT, 'infra/operating', file), 'utf8').replaceAll(
    ":'project'",
    `'${project}'`,
  )
  const results = await sql.begin(tx => tx.unsafe(text).simple())
  return (results as unknown as { taken_away?: string }[][]).flat().flatMap(row => row.taken_away ?? [])
}

/** Makes three minutes pass for a schedule of every minute, while nothing works on the database. */
const passMinutes = (sql: Sql) =>
  sql`update schedules set cron = '* * * * *', next_at = date_trunc('minute', now()) - interval '3 minutes'`

const isGone = (sql: Sql, project: string) =>
  vi.waitFor(
    async () => expect(await sql`select name from projects where id = ${project}`).toEqual([]),
    WAIT_MS,
  )

/** Checks the project at this place: its key, its open and held runs, its counts, idempotency keys and trigger. */
async function goesOn(at: string, { key, runs, becomes, fire, submitAgain }: BusyProject): Promise<void> {
  const call = (path: string, body?: object) => callAt(at, key, path, body)
  await becomes(at, runs.open, { status: 'completed', completed: OPEN_ITEMS })
  const { json } = await call(`/v2/runs/${runs.held}/items`)
  const held = json.find((item: { status: string }) => item.status === 'paused')
  expect((await call(`/v1/durable/runs/${held.id}/resume`, {})).status).toBe(202)
  await becomes(at, runs.held, { status: 'completed', completed: 2 })
  for (const run of Object.values(runs)) {
    const verified = await call(`/v2/runs/${run}/verify`)
    expect(verified.json).toMatchObject({ balanced: true, differences: [], double_verdicts: 0 })
  }
  expect(await submitAgain(at)).toBe(runs.open)
  expect((await fire(at, 'fired')).json).toMatchObject({ duplicate: true })
  const { json: fired } = await fire(at, 'fired-after')
  expect(fired).toMatchObject({ duplicate: false })
  await becomes(at, fired.run_id, { status: 'completed' })
}

/** Checks over both places that each occurrence has one row; returns how many of each project started a run. */
async function everyMomentOnce(places: Sql[], projects: BusyProject[]): Promise<Map<string, number>> {
  const fired = new Map<string, number>()
  for (const { id } of projects) {
    const rows = (
      await Promise.all(
        places.map(
          sql => sql`select scheduled_for, outcome, run_id from occurrences where project_id = ${id}`,
        ),
      )
    ).flat()
    const moments = rows.map(row => row.scheduled_for.getTime()).sort()
    expect(moments).toEqual(moments.map((_, n) => moments[0] + n * 60_000))
    expect(moments.length).toBeGreaterThanOrEqual(4)
    const outcomes = rows.map(row => row.outcome)
    expect(outcomes.filter(outcome => outcome === 'missed').length).toBeGreaterThanOrEqual(3)
    fired.set(id, outcomes.filter(outcome => outcome === 'fired').length)
    expect(new Set(outcomes)).toEqual(new Set(['missed', 'fired']))
  }
  return fired
}

/** One place with both projects at work, and what the API returns about the runs that have ended. */
async function beforeTheMove() {
  const database = parts.adopt(await testDatabase(), store => store.drop())
  const made = await accountsIn(database.url)
  const outside = parts.adopt(await startOutside(), one => one.close())
  const bundle = await bundled(outside.host)
  outside.refuse = '/unheard'
  for (const name of NAMES) outside.hold(`/${name}/second/open-`)
  const old = await started(database.url, made.moves.key)
  const busy = (name: (typeof NAMES)[number]) =>
    makeBusy({ ...made[name], name, at: old.base_url, outside, bundle })
  const moves = await busy('moves')
  const stays = await busy('stays')
  await vi.waitFor(() => {
    expect(NAMES.map(name => outside.waitingOf(name).length)).toEqual([AT_WORK, AT_WORK])
    expect(outside.refused.length).toBeGreaterThanOrEqual(NAMES.length)
    const callbacks = outside.taken.map(({ path }) => path).filter(path => !path.endsWith('/alerts'))
    expect(callbacks).toHaveLength(2 * NAMES.length) // of each project: ended and spent
  }, WAIT_MS)
  const histories = [await moves.history(old.base_url), await stays.history(old.base_url)] as const
  return { databaseUrl: database.url, made, outside, old, moves, stays, histories }
}

/** Does the steps of infra/README.md in order; returns connections to both databases, and the new place. */
async function move({ databaseUrl, made, outside, old, moves }: Awaited<ReturnType<typeof beforeTheMove>>) {
  const stopped = old.stop()
  outside.answer(outside.waitingOf('moves')[0]!) // ends within the time that a process has to stop
  await stopped
  const before = connected(databaseUrl)
  expect(await before`select from claims`).toEqual([])
  await passMinutes(before)
  await before.end()

  const copy = await copied(databaseUrl)
  const newSql = connected(copy)
  expect(await run(newSql, 'keep-project.sql', NOBODY)).toEqual([])
  expect((await run(newSql, 'keep-project.sql', moves.id)).sort()).toEqual(['another', 'foreign', 'stays'])
  const oldSql = connected(databaseUrl)
  expect(await run(oldSql, 'drop-project.sql', NOBODY)).toEqual([])
  expect(await run(oldSql, 'drop-project.sql', moves.id)).toEqual(['default'])
  outside.refuse = null
  await old.start()
  const anew = await started(copy, made.moves.key)
  return { oldSql, newSql, anew }
}

it('a project moves to a database of its own with everything that is in progress', {
  timeout: WHOLE_MS,
}, async () => {
  const before = await beforeTheMove()
  const { made, outside, old, moves, stays, histories } = before
  const { oldSql, newSql, anew } = await move(before)
  await isGone(oldSql, moves.id)
  await isGone(newSql, stays.id)
  await isGone(newSql, made.foreign.id)
  // Not earlier: a consumer with an item of a project that has moved would still hold it.
  for (const name of NAMES) outside.release(`/${name}/second/open-`)

  for (const [here, there, project, history] of [
    [anew, old, moves, histories[0]],
    [old, anew, stays, histories[1]],
  ] as const) {
    expect(await project.history(here.base_url)).toEqual(history)
    await goesOn(here.base_url, project)
    expect((await callAt(there.base_url, project.key, '/v2/runs')).status).toBe(401)
    expect((await project.fire(there.base_url, 'strayed')).status).toBe(404)
  }
  expect((await callAt(old.base_url, made.foreign.key, '/v2/runs')).status).toBe(200)

  await vi.waitFor(async () => {
    const fired = await everyMomentOnce([oldSql, newSql], [moves, stays])
    for (const { name, id } of [moves, stays])
      expect(outside.answered.get(`/${name}/second/clock`)).toBe(fired.get(id))
  }, WAIT_MS)
  expect([...outside.answered].filter(([path, n]) => n > 1 && !path.endsWith('/clock'))).toEqual([])
  await vi.waitFor(() => {
    for (const name of NAMES) {
      const paths = outside.taken.map(({ path }) => path).filter(path => path.startsWith(`/${name}/`))
      // Alerts are raised and resolved as they come; every other message is sent once.
      const notified = paths.filter((path, at) => !path.endsWith('/alerts') || paths.indexOf(path) === at)
      expect(notified.sort()).toEqual(MESSAGES.map(message => `/${name}/notified/${message}`))
    }
  }, WAIT_MS)
  const late = outside.taken.find(({ path }) => path === '/moves/notified/unheard')!
  new Webhook(made.secret).verify(late.body, late.headers)
  const tried = outside.refused.filter(({ path }) => path === late.path)
  expect(tried.map(({ headers }) => headers['webhook-id'])).toContain(late.headers['webhook-id'])
})
