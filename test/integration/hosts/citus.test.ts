import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { distribute } from '../../../infra/distribute.ts'
import { migrate } from '../../../infra/migrate.ts'
import { createClient } from '../../../shared/sdk/client.ts'
import { dropDatabase, makeCluster, NO_CLUSTER, nodesOf } from '../../support/citus.ts'
import { conservation } from '../../support/conservation.ts'
import { eventually } from '../../support/eventually.ts'
import { startStack } from '../../support/stack.ts'
import { emptyDatabase, testDatabase } from '../../support/stores.ts'

const CLUSTER = process.env.CITUS_URL
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

/** Tables that every node had in an earlier version. */
const MOVED = ['agents', 'deployments', 'triggers', 'schedules', 'bundles']

const plan = (url: string, apply = false) => {
  const said: string[] = []
  return distribute({ url }, { apply, shards: 4, say: line => said.push(line) }).then(steps => ({
    steps,
    said,
  }))
}

it.skipIf(CLUSTER)('a database without Citus is refused, and so is a pooler', async () => {
  const database = await testDatabase()
  parts.defer(() => database.drop())
  await expect(plan(database.url)).rejects.toMatchObject({ code: 'citus_missing' })
  await expect(plan(`${database.url}?pgbouncer=true`)).rejects.toMatchObject({ code: 'distribute_directly' })
})

describe.skipIf(!CLUSTER)(`on a cluster (${CLUSTER ? 'CITUS_URL' : NO_CLUSTER})`, () => {
  async function clusterDatabase(workers?: number) {
    const nodes = await nodesOf(CLUSTER!)
    const name = `test_${randomBytes(6).toString('hex')}`
    parts.defer(() => dropDatabase(nodes, name))
    return makeCluster(nodes, name, workers)
  }

  it('a database that is not migrated, or has no worker, is refused', async () => {
    const alone = await clusterDatabase(0)
    await expect(plan(alone)).rejects.toMatchObject({ code: 'schema_behind' })
    await migrate(alone)
    await expect(plan(alone)).rejects.toMatchObject({ code: 'no_workers' })
  })

  it('a dry run lists the steps, applying does exactly these, and then none is left', async () => {
    const url = await clusterDatabase()
    await migrate(url)
    const planned = await plan(url)
    expect(planned.said).toContain('items becomes a distributed table')
    expect(await plan(url, true)).toEqual(planned)
    expect(await plan(url)).toEqual({ steps: 0, said: [] })
    const sql = postgres(url, { max: 1 })
    const kinds = await sql`
      select citus_table_type as type, count(distinct colocation_id)::int as together from citus_tables group by 1 order by 1`
    await sql.end()
    expect([...kinds]).toEqual([
      { type: 'distributed', together: 1 },
      { type: 'local', together: 1 },
      { type: 'reference', together: 1 },
    ])
    const again = postgres(url, { max: 1 })
    const [made] = await again`select make_step_week('steps', '2099-01-01', 1000) as is_made`
    const [dropped] = await again`select drop_step_week('2099-01-01') as is_dropped`
    await again.end()
    expect({ ...made, ...dropped }).toEqual({ is_made: true, is_dropped: true })
  })

  it('views for callers get the columns that a later migration adds to a table', async () => {
    const url = await clusterDatabase()
    await migrate(url)
    await plan(url, true)
    const sql = postgres(url, { max: 1 })
    parts.defer(() => sql.end())
    await sql`alter table triggers add column later text default 'yes'`
    expect((await plan(url, true)).said).toEqual(['reads for callers see the new columns of triggers'])
    expect(await plan(url)).toEqual({ steps: 0, said: [] })
    expect(await sql`select later from assay_tenant.triggers`).toHaveLength(0)
  })

  it('reference tables of an earlier version become distributed or local ones with their rows', async () => {
    const url = await clusterDatabase()
    await migrate(url)
    await plan(url, true)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    parts.defer(() => sql.end())
    const keys = await sql<{ table: string; name: string }[]>`
      select conrelid::regclass::text as table, conname as name from pg_constraint
      where contype = 'f' and ${MOVED} && array[conrelid::regclass::text, confrelid::regclass::text]`
    for (const { table, name } of keys) await sql`alter table ${sql(table)} drop constraint ${sql(name)}`
    for (const table of MOVED) {
      await sql`select undistribute_table(${table})`
      await sql`select create_reference_table(${table})`
    }
    const id = randomUUID()
    await sql`insert into projects ${sql({ id, name: 'p' })}`
    await sql`insert into agents ${sql({ id, project_id: id, name: 'a', slug: 'a' })}`
    await sql`insert into schedules ${sql({ id, project_id: id, agent_id: id, cron: '0 2 * * *' })}`
    await sql`insert into bundles ${sql({ hash: 'of code', code: 'code' })}`
    const { said } = await plan(url, true)
    expect(said).toContain('schedules becomes a distributed table')
    expect(said).toContain('bundles becomes a local table')
    expect(said).toContain('runs refers to agents by (project_id, agent_id)')
    expect(said).not.toContain('items becomes a distributed table')
    expect(await plan(url)).toEqual({ steps: 0, said: [] })
    for (const table of ['agents', 'schedules'])
      expect(await sql`select from ${sql(table)} where project_id = ${id}`).toHaveLength(1)
    expect(await sql`select from bundles where hash = 'of code'`).toHaveLength(1)
  })

  it('a distribution that was stopped continues where it stopped', async () => {
    const url = await clusterDatabase()
    await migrate(url)
    let left = 60
    const stopped = distribute(
      { url },
      {
        apply: true,
        shards: 4,
        say() {
          if (left-- === 0) throw new Error('stopped')
        },
      },
    )
    await expect(stopped).rejects.toThrow('stopped')
    const rest = await plan(url, true)
    expect(rest.said).toContain('purges becomes a distributed table')
    expect(rest.said).not.toContain('accounts becomes a reference table')
    expect(await plan(url)).toEqual({ steps: 0, said: [] })
  })

  it('rows that violate the keys of a cluster are refused before anything is changed', async () => {
    const url = await clusterDatabase()
    await migrate(url)
    const sql = postgres(url, { max: 1 })
    const [a, b, run] = ['a', 'b', 'c'].map(n => `00000000-0000-7000-8000-0000000000${n}0`)
    await sql`insert into projects (id, name) values (${a!}, 'a'), (${b!}, 'b')`
    await sql`insert into agents (id, project_id, name, slug) values (${a!}, ${a!}, 'a', 'a')`
    await sql`insert into runs (id, project_id, agent_id) values (${run!}, ${a!}, ${a!})`
    await sql`insert into ended_runs (project_id, run_id) values (${b!}, ${run!})`
    await expect(plan(url, true)).rejects.toMatchObject({ code: 'rows_without_project' })
    const [tables] = await sql`select count(*)::int as n from citus_tables`
    await sql.end()
    expect(tables!.n).toBe(0)
  })

  it('a batch submitted over the API runs to its end at an agent behind a URL, and its results can be read', async () => {
    const agent = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const lines = body.split('\n').filter(line => line !== '')
      const answers = lines.map(line => {
        const { seq, attempt } = JSON.parse(line)
        if (seq % 50 === 0)
          return { type: 'error', seq, attempt, error: { code: 'upstream_down', message: 'it answered 503' } }
        return { type: 'result', seq, attempt, output: { seq } }
      })
      response.setHeader('content-type', 'application/x-ndjson')
      response.end(answers.map(answer => `${JSON.stringify(answer)}\n`).join(''))
    })
    parts.defer(async () => void agent.close())
    agent.listen(0, '127.0.0.1')
    await once(agent, 'listening')
    const stack = await startStack()
    parts.defer(() => stack.close())
    const client = createClient({ baseUrl: stack.base_url, apiKey: stack.api_key })
    const { data: made } = await client.POST('/v1/agents', { body: { name: 'plain' } })
    const { port } = agent.address() as AddressInfo
    await client.POST('/v1/agents/{agentId}/deployments', {
      params: { path: { agentId: made!.id } },
      body: {
        kind: 'url',
        url: `http://127.0.0.1:${port}/`,
        protocol: 'ndjson',
        declaration: { name: 'plain', max_consecutive_failures: 1000 },
      },
    })
    const lines = Array.from({ length: 300 }, (_, i) => `{"item_id":"item-${i}","input":{"n":${i}}}\n`).join(
      '',
    )
    const { run_id } = await client.submitLines({ agent_id: made!.id }, new Blob([lines]).stream())
    const run = await eventually(async () => {
      const { data } = await client.GET('/v2/runs/{runId}', { params: { path: { runId: run_id } } })
      expect(data!.finished_at).not.toBeNull()
      return data!
    })
    expect(run).toMatchObject({ status: 'partial', total_items: 300, completed: 294, failed: 6 })
    const { data: items } = await client.GET('/v2/runs/{runId}/items', {
      params: { path: { runId: run_id } },
    })
    expect(items![0]).toMatchObject({ item_id: 'item-0', output: { seq: 1 } })
    const sql = postgres(stack.databaseUrl, { max: 1 })
    expect(await conservation({ sql }, run_id)).toEqual([])
    await sql.end()
  })

  it('an empty database is refused', async () => {
    const database = await emptyDatabase()
    parts.defer(() => database.drop())
    await expect(plan(database.url)).rejects.toMatchObject({
      code: expect.stringMatching(/citus_missing|schema_behind/),
    })
  })
})
