// A version is rolled out while the one before works: its processes run next to this version's, on this version's
// schema, and both take part in the same run. The version before is the newest release in history; ASSAY_UPGRADE_FROM
// names another commit.

import postgres from 'postgres'
import { afterEach, expect, it, vi } from 'vitest'
import { apply, grantTenantReads } from '../../infra/migrate.ts'
import type { Sql } from '../../shared/context.ts'
import { eventually } from '../support/eventually.ts'
import { migrate } from '../support/migrate.ts'
import { nextMigration } from '../support/next-migration.ts'
import { checkoutOf, git, isClone, whyMissing } from '../support/other-version.ts'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

/** The newest release before this checkout. */
const release = () =>
  git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-v:refname').split('\n')[0]

/** The version before, or why there is none here. */
function findBefore(): { version: string } | { missing: string } {
  if (!isClone()) return { missing: 'this is no clone, so there is no version before this one in it' }
  const version = process.env.ASSAY_UPGRADE_FROM || release()
  if (!version) return { missing: 'no release stands before this version: 0.1.0 is the first' }
  const missing = whyMissing(version)
  return missing === undefined ? { version } : { missing }
}

it('both versions settle items of one run, and everything agrees afterwards', {
  timeout: 2 * PATIENCE_MS,
}, async ({ skip }) => {
  const before = findBefore()
  if ('missing' in before) return skip(before.missing)
  const items = 400
  const stack = parts.adopt(await startStack(), one => one.close())
  const { path: checkout } = parts.use(await checkoutOf(before.version))
  const agentId = await stack.deploy()
  const batch = Array(items).fill({})
  const old = await stack.startOther(checkout, 'api,tick')
  const oldConsumer = (await stack.startOther(checkout, 'consumer')).process
  const release = stack.probe.hold(call => call.step === 's2')
  const hasStarted = (runId: string) => stack.probe.until(calls => calls.some(call => call.run === runId))

  const first = await stack.submit(agentId, batch, { concurrency: '200' })
  await hasStarted(first)
  oldConsumer.signal('SIGSTOP') // so that this version gets its share of the work
  await oldConsumer.stopped()
  const newConsumer = await stack.startConsumer()
  const second = await stack.submit(agentId, batch, { concurrency: '200' }, old.base_url)
  await hasStarted(second)
  oldConsumer.signal('SIGCONT')
  release()
  const runs = [first, second]
  for (const runId of runs) {
    expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: items })
    expect(await stack.breaches(runId)).toEqual([])
  }
  expect(await Promise.all([old, stack].map(readiness))).toEqual([200, 200])
  for (const consumer of [oldConsumer, newConsumer]) {
    await vi.waitFor(
      () => expect(consumer.log.join('\n')).toMatch(/"event":"consumed".*"settled":[1-9]/),
      PATIENCE_MS,
    )
  }
})

const readiness = async ({ base_url }: { base_url: string }) =>
  (await fetch(`${base_url}/health/ready`)).status

/** Adds a column to every table, which takes the strongest lock there is and changes what `select *` returns. */
async function migrateFurther(sql: Sql, databaseUrl: string): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`
  const own = postgres(databaseUrl, { max: 1, onnotice: () => {} }) as unknown as Sql
  try {
    // One by one: a transaction that locks all tables in its own order would deadlock with the others.
    for (const [n, { name }] of tables.entries()) {
      const next = parts.adopt(await nextMigration(`alter table ${name} add column of_next text`, n), one =>
        one.remove(),
      )
      await apply(own, next.path)
    }
    await grantTenantReads(own)
  } finally {
    await own.end()
  }
}

/** Reads everything readable through the API without a pause; returns the answers other than 200. */
function readOn(stack: Stack, runId: string, projectId: string) {
  const paths = [
    `/v1/projects/${projectId}/activity`,
    ...['', '/items', '/verify'].map(part => `/v2/runs/${runId}${part}`),
    ...[
      '/v2/runs',
      '/v1/steps?q=s1',
      '/v1/triage',
      '/v1/agents',
      '/v1/schedules',
      '/v1/deliveries',
      '/v1/durable/runs',
    ],
  ]
  const refused: string[] = []
  const headers = { authorization: `Bearer ${stack.api_key}` }
  let rounds = 0
  let isOver = false
  const reader = async () => {
    for (; !isOver; rounds++)
      for (const path of paths) {
        const answer = await fetch(`${stack.base_url}${path}`, { headers })
          .then(async response => `${response.status} ${await response.text()}`)
          .catch(error => `broke off: ${error}`)
        if (!answer.startsWith('200 ')) refused.push(`${path}: ${answer}`)
      }
  }
  const reading = Promise.all([reader(), reader(), reader()])
  return {
    /** Resolves after so many more rounds of reading. */
    async rounds(more: number) {
      const until = rounds + more
      await eventually(() => expect(rounds).toBeGreaterThanOrEqual(until))
    },
    async end() {
      isOver = true
      await reading
      return refused
    },
  }
}

it('a migration is applied while this version works, and no request or item fails', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const stack = parts.adopt(await startStack(), one => one.close())
  const agentId = await stack.deploy()
  const consumer = await stack.startConsumer()
  const batch = Array(300).fill({})
  const before = await stack.submit(agentId, batch)
  await stack.finished(before)

  const release = stack.probe.hold(call => call.step === 's2')
  const open = await stack.submit(agentId, batch, { concurrency: '100' })
  await stack.probe.until(calls => calls.some(call => call.run === open))
  const [project] = await stack.sql`select project_id as id from runs where id = ${open}`
  const reading = readOn(stack, open, project!.id)
  await reading.rounds(6) // on each connection, so that it has plans from before
  await migrateFurther(stack.sql, stack.stores.databaseUrl)
  release()
  const after = await stack.submit(agentId, batch)
  await reading.rounds(6)
  for (const runId of [open, after]) {
    expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: batch.length })
    expect(await stack.breaches(runId)).toEqual([])
  }
  expect(await readiness(stack)).toBe(200) // on a schema that is newer than this version
  const refused = await reading.end()
  const said = [...stack.control.log, ...consumer.log].filter(line => /"level":"(warn|error)"/.test(line))
  expect(said.map(line => line.slice(0, 600))).toEqual([])
  expect(refused).toEqual([])
})

it('the way back: this version starts anew on a schema that a newer one has left, and finishes the work in flight', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const items = 300
  const stack = parts.adopt(await startStack(), one => one.close())
  const agentId = await stack.deploy()
  const consumer = await stack.startConsumer()
  const release = stack.probe.hold(call => call.step === 's2')
  const open = await stack.submit(agentId, Array(items).fill({}), { concurrency: '100' })
  await stack.probe.until(calls => calls.some(call => call.run === open))
  await migrateFurther(stack.sql, stack.stores.databaseUrl)
  const newest = () => stack.sql`select max(created_at)::text as at from drizzle.__drizzle_migrations`
  const [left] = await newest()

  consumer.signal('SIGKILL') // with items in flight
  await stack.control.end()
  await migrate(stack.stores.databaseUrl) // as the start of a version does first
  expect(await newest()).toEqual([left])
  stack.control = await stack.startPart('api', { ASSAY_PARTS: 'api,tick' })
  await stack.startConsumer()
  release()
  expect(await stack.finished(open)).toMatchObject({ status: 'completed', ok: items })
  expect(await stack.breaches(open)).toEqual([])
  const after = await stack.submit(agentId, [{}])
  expect(await stack.finished(after)).toMatchObject({ ok: 1 })
  expect(await readiness(stack)).toBe(200)
})
