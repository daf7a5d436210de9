// An upgrade of a cluster that an earlier version has distributed and works on, and of one whose every table changes.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, inject, it } from 'vitest'
import { distribute } from '../../infra/distribute.ts'
import { apply, grantTenantReads, migrate } from '../../infra/migrate.ts'
import { dropDatabase, makeCluster } from '../support/citus.ts'
import { callerOf, endedAndInFlight, serversGone } from '../support/citus-projects.ts'
import { conservation } from '../support/conservation.ts'
import { heldAgent } from '../support/held-agent.ts'
import { makeProjects } from '../support/many-projects.ts'
import { nextMigration } from '../support/next-migration.ts'
import { checkoutOf, isClone, whyMissing } from '../support/other-version.ts'
import { CHECKOUT, firstAccount, startStack } from '../support/stack.ts'

/** A version that distributes by project, one migration before `0068_settings_of_trigger`. */
const BEFORE = '9a4f377596db239f0ffef324029eeb70a74ddaf1'
const ITEMS = 60

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

async function clusterDatabase(): Promise<string> {
  const { nodes } = inject('stores')
  const name = `test_${randomBytes(6).toString('hex')}`
  parts.defer(() => dropDatabase(nodes, name))
  return makeCluster(nodes, name)
}

async function distributed(url: string): Promise<string[]> {
  const said: string[] = []
  await distribute({ url }, { apply: true, shards: 4, say: line => said.push(line) })
  return said
}

it('a cluster of an earlier version is migrated and distributed further, and its runs go on', async ({
  skip,
}) => {
  const missing = isClone() ? whyMissing(BEFORE) : 'this is no clone, so there is no earlier version in it'
  if (missing !== undefined) return skip(missing)
  const before = parts.use(await checkoutOf(BEFORE))
  const url = await clusterDatabase()
  for (const command of [['infra/migrate.ts'], ['infra/distribute.ts', '--apply', '--shards', '4']])
    execFileSync(join(CHECKOUT, 'node_modules/.bin/node'), command, {
      cwd: before.path,
      env: { ...process.env, DATABASE_URL: url },
      stdio: 'ignore',
    })
  const agent = parts.adopt(await heldAgent(), one => one.close())
  const { redisUrl } = inject('stores')
  const on = { databaseUrl: url, ...(await firstAccount(url, redisUrl, 'http://127.0.0.1')) }
  const old = parts.adopt(await startStack({ on, checkout: before.path }), one => one.close())
  const projects = await makeProjects(old, 4, id => agent.urlOf(id))
  const caller = callerOf(() => old.base_url)
  const { ended, inFlight } = await endedAndInFlight(caller, agent, projects, ITEMS)
  await old.kill()
  const sql = parts.adopt(postgres(url, { max: 1, onnotice: () => {} }), one => one.end())
  await serversGone(sql)

  await migrate(url)
  expect(await distributed(url)).toContain('reads for callers see the new columns of triggers')
  expect(await distributed(url)).toEqual([])

  const stack = parts.adopt(await startStack({ on }), one => one.close())
  agent.release()
  const there = callerOf(() => stack.base_url)
  for (const [i, project] of projects.entries()) {
    expect(await there.ended(project, inFlight[i]!)).toMatchObject({ completed: ITEMS })
    const fresh = await there.submit(project, ITEMS)
    expect(await there.ended(project, fresh)).toMatchObject({ completed: ITEMS })
    for (const run of [ended[i]!, inFlight[i]!, fresh]) {
      expect(await there.verify(project, run)).toMatchObject({ balanced: true, differences: [] })
      expect(await conservation({ sql: sql as never }, run)).toEqual([])
    }
  }
})

it('a migration that adds a column to every table is applied on a cluster, and runs go on', async () => {
  const stack = parts.adopt(await startStack(), one => one.close())
  const agent = parts.adopt(await heldAgent(), one => one.close())
  const projects = await makeProjects(stack, 2, id => agent.urlOf(id))
  const caller = callerOf(() => stack.base_url)
  for (const project of projects) await caller.ended(project, await caller.submit(project, ITEMS))
  await stack.stop()
  const sql = parts.adopt(postgres(stack.databaseUrl, { max: 1, onnotice: () => {} }), one => one.end())
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition order by 1`
  const statements = tables.map(({ name }) => `alter table ${name} add column of_next text`)
  const next = parts.adopt(await nextMigration(statements.join(';--> statement-breakpoint\n')), one =>
    one.remove(),
  )
  await apply(sql as never, next.path)
  await grantTenantReads(sql as never)
  await distributed(stack.databaseUrl)
  expect(await distributed(stack.databaseUrl)).toEqual([])
  expect(await sql`select distinct of_next from items`).toEqual([{ of_next: null }])
  await stack.start()
  for (const project of projects) {
    const run = await caller.submit(project, ITEMS)
    expect(await caller.ended(project, run)).toMatchObject({ completed: ITEMS })
    expect(await caller.verify(project, run)).toMatchObject({ balanced: true, differences: [] })
  }
})
