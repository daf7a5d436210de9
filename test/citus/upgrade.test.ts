// An upgrade of a cluster whose every table changes.

import postgres from 'postgres'
import { afterAll, expect, it } from 'vitest'
import { distribute } from '../../infra/distribute.ts'
import { apply, grantTenantReads } from '../../infra/migrate.ts'
import { callerOf } from '../support/citus-projects.ts'
import { heldAgent } from '../support/held-agent.ts'
import { makeProjects } from '../support/many-projects.ts'
import { nextMigration } from '../support/next-migration.ts'
import { startStack } from '../support/stack.ts'

const ITEMS = 60

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

async function distributed(url: string): Promise<string[]> {
  const said: string[] = []
  await distribute({ url }, { apply: true, shards: 4, say: line => said.push(line) })
  return said
}

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
