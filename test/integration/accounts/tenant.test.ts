import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext, type NodeContext } from '../../../infra/node/context.ts'
import { readForAccount } from '../../../shared/accounts/queries/tenant.ts'
import { BEHIND_VIEWS, PUBLIC_COLUMNS } from '../../../shared/accounts/tables/tenant.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { createApp } from '../../../shared/http/app.ts'
import { endpoint } from '../../../shared/http/endpoint.ts'
import type { Endpoint } from '../../../shared/http/operation.ts'
import type { Reading } from '../../../shared/http/tenant-scope.ts'
import * as schema from '../../../shared/tables.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'

interface Tenant {
  account_id: string
  project_id: string
  run_id: string
}

let parts = new AsyncDisposableStack()
let ctx: NodeContext
let [a, b] = [{}, {}] as [Tenant, Tenant]
let key: string

const tables = Object.values(schema)
  .filter(table => is(table, PgTable))
  .map(table => getTableConfig(table))
const shown = tables.filter(({ name, policies }) => policies.length > 0 || name in BEHIND_VIEWS)
const refused = tables.filter(table => !shown.includes(table) && !(table.name in PUBLIC_COLUMNS))

beforeAll(async () => {
  const [database, redis] = await Promise.all([testDatabase(), testRedis()])
  parts.defer(() => database.drop())
  parts.defer(() => redis.drop())
  const connections = openConnections({
    databaseUrl: database.url,
    redisUrl: redis.url,
    pool: { sql: 2, db: 1, reads: 2 },
  })
  parts.defer(() => connections.close())
  ctx = createContext({
    connections,
    config: { base_url: '', master_key: 'ab'.repeat(32) },
    writeLog: () => {},
  })
  parts.defer(() => ctx.idle())
  const checks = await ctx.sql`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop from pg_constraint
      join pg_class on pg_class.oid = conrelid -- shows no shards
    where contype = 'c' and connamespace = current_schema()::regnamespace and not connoinherit`
  for (const check of checks) await ctx.sql.unsafe(check.drop)
  a = await fillTables('a')
  b = await fillTables('b')
  key = (await mintKey(ctx, a.project_id, 'a')).key
})
afterAll(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

/**
 * Inserts one row into every table, those of tomorrow included: the ids that rows are found by are the tenant's, all
 * other values only fit their type, not the checks of the table.
 */
async function fillTables(name: string): Promise<Tenant> {
  const tenant = { account_id: ctx.newId(), project_id: ctx.newId(), run_id: ctx.newRunId() }
  const own: Record<string, string> = { ...tenant, member_id: ctx.newId(), delivery_id: ctx.newId() }
  const ids: Record<string, string | undefined> = {
    accounts: own.account_id,
    projects: own.project_id,
    runs: own.run_id,
    members: own.member_id,
    deliveries: own.delivery_id,
  }
  await ctx.sql.begin(async sql => {
    await sql`set local session_replication_role = replica` // no foreign key, no trigger
    for (const table of tables) {
      const columns = table.columns.filter(
        ({ notNull, hasDefault, generated, name: column }) =>
          (notNull && !hasDefault && !generated) ||
          ((column in own || (column === 'id' && table.name in ids)) && !generated),
      )
      const row = columns.map(column => {
        const type = column.getSQLType()
        if (column.name === 'id' && type === 'uuid') return ids[table.name] ?? ctx.newId()
        return own[column.name] ?? column.enumValues?.[0] ?? fitting(type, name)
      })
      const names = columns.map(column => `"${column.name}"`)
      if (names.length === 0) continue // its one row came with the schema
      await sql.unsafe(
        `insert into "${table.name}" (${names}) values (${names.map((_, at) => `$${at + 1}`)})`,
        row as never[],
      )
    }
  })
  return tenant
}

function fitting(type: string, name: string): unknown {
  if (type === 'uuid') return ctx.newId()
  if (type === 'boolean') return false
  if (type === 'jsonb') return {}
  if (type === 'bytea') return Buffer.from(name)
  if (type.endsWith('[]')) return '{}'
  if (/^(small|big)?(int|serial)|double|numeric/.test(type)) return 1
  return type === 'date' || type.startsWith('timestamp') ? new Date() : name
}

const countAs = (account_id: string, table: string) =>
  readForAccount(ctx.reads, account_id, async ({ sql }) => {
    const [row] = await sql.unsafe<{ n: number }[]>(`select count(*)::int as n from "${table}"`)
    return row!.n
  })

describe.each(shown.map(table => table.name))('%s', name => {
  it('has rows of both accounts, shows each account only its own, and an unknown account none', async () => {
    const [all] = await ctx.sql.unsafe(`select count(*)::int as n from "${name}"`)
    const [ofA, ofB, ofNobody] = await Promise.all(
      [a.account_id, b.account_id, ctx.newId()].map(account_id => countAs(account_id, name)),
    )
    expect(ofA).toBeGreaterThan(0)
    expect(ofB).toBeGreaterThan(0)
    expect({ sum: ofA! + ofB!, ofNobody }).toEqual({ sum: all!.n, ofNobody: 0 })
  })

  it('shows the role nothing while no account is set, also after a transaction that had set one', async () => {
    await countAs(a.account_id, name)
    const bare = await ctx.sql.begin(async sql => {
      await sql`set local search_path = assay_tenant, public`
      await sql`set local role assay_tenant`
      return sql.unsafe(`select * from "${name}"`)
    })
    expect([...bare]).toEqual([])
  })
})

it.each(refused.map(table => table.name))('%s is refused: only the engine may read it', async name => {
  await expect(countAs(a.account_id, name)).rejects.toThrow('permission denied')
})

it('everybody sees of the installation whether it is held, and nothing else', async () => {
  const read = (columns: string) =>
    readForAccount(ctx.reads, a.account_id, ({ sql }) => sql.unsafe(`select ${columns} from installation`))
  expect([...(await read('held_since'))]).toEqual([{ held_since: null }])
  await expect(read('key_fingerprint')).rejects.toThrow('permission denied')
})

describe.skipIf(onCluster('policies are views there, and a table named with its schema passes them by'))(
  'a table behind a view, read by its own name',
  () => {
    const read = (name: string) =>
      readForAccount(ctx.reads, a.account_id, ({ sql }) => sql.unsafe(`select * from public.${name}`))

    it.each(['step_index', 'triage'])('is refused: %s', name =>
      expect(read(name)).rejects.toThrow('permission denied'),
    )

    it('shows what its policy shows: items', async () => {
      expect(await read('items')).toMatchObject([{ run_id: a.run_id }])
    })
  },
)

it.skipIf(onCluster('the view of items looks up their runs there, on the node of the project'))(
  'a query over the items of a run does not look up the run of each item',
  async () => {
    const plan = await readForAccount(
      ctx.reads,
      a.account_id,
      ({ sql }) => sql`explain select count(*) from items where run_id = ${a.run_id}`,
    )
    expect(plan.map(line => line['QUERY PLAN']).join('\n')).not.toContain('SubPlan')
  },
)

describe('an endpoint whose queries forget every condition', () => {
  const any = { tag: 'Runs', auth: 'any', summary: '', errors: [] } as const
  const answers = { 200: { description: '', schema: z.any() } }

  async function answerOf(asked: Endpoint, token = key): Promise<{ status: number; text: string }> {
    const app = createApp([asked], () => ctx)
    const response = await app.request(asked.path, { headers: { authorization: `Bearer ${token}` } })
    const text = await response.text().catch(error => `broken off: ${error.message}`)
    return { status: response.status, text }
  }

  it('shows only the caller’s account, through either store', async () => {
    const forgetful = endpoint({
      ...any,
      method: 'get',
      path: '/all',
      operation_id: 'all',
      answers,
      async handle({ ctx }) {
        const [raw, drizzled] = await Promise.all([
          ctx.sql`select id from runs`,
          ctx.db.select({ id: schema.runs.id }).from(schema.runs),
        ])
        return { raw, drizzled, steps: await ctx.sql`select run_id as id from step_index` }
      },
    })
    const own = [{ id: a.run_id }]
    expect(JSON.parse((await answerOf(forgetful)).text)).toEqual({ raw: own, drizzled: own, steps: own })
  })

  it('shows only the caller’s account in a stream, during which its own stores are closed', async () => {
    const streamOf = (name: string, next: (reading: Reading) => PromiseLike<unknown>) =>
      endpoint({
        ...any,
        method: 'get',
        path: `/${name}`,
        operation_id: name,
        answers: { 200: { description: '', schema: z.any(), ndjson: z.any() } },
        async handle(reading) {
          const body = new ReadableStream({
            async pull(controller) {
              controller.enqueue(new TextEncoder().encode(JSON.stringify(await next(reading))))
              controller.close()
            },
          })
          return new Response(body)
        },
      })
    const confined = streamOf('confined', ({ read }) => read(async ({ sql }) => sql`select id from runs`))
    expect((await answerOf(confined)).text).toBe(JSON.stringify([{ id: a.run_id }]))
    const loose = streamOf('loose', ({ ctx }) => ctx.sql`select id from runs`)
    expect((await answerOf(loose)).text).toContain('this read is over')
  })

  it('cannot write, nor leave its transaction', async () => {
    const writing = endpoint({
      ...any,
      method: 'get',
      path: '/write',
      operation_id: 'write',
      answers,
      handle: async ({ ctx }) => ctx.sql`update runs set name = 'mine'`,
    })
    expect((await answerOf(writing)).status).toBe(500)
    await readForAccount(ctx.reads, a.account_id, async ({ sql }) => expect(sql.begin).toBeUndefined())
  })
})

describe('a read', () => {
  it('sees one snapshot', async () => {
    const count = () => readForAccount(ctx.reads, a.account_id, ({ sql }) => sql`select name from projects`)
    const [before, after] = await readForAccount(ctx.reads, a.account_id, async ({ sql }) => {
      const before = await sql`select name from projects`
      await ctx.sql`update projects set name = 'another' where id = ${a.project_id}`
      return [[...before], [...(await sql`select name from projects`)]]
    })
    expect(after).toEqual(before)
    expect([...(await count())]).toEqual([{ name: 'another' }])
  })

  it('whose connection dies between two queries fails alone, and the next connection shows only the caller’s account', async () => {
    const dying = readForAccount(ctx.reads, a.account_id, async ({ sql }) => {
      const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
      await ctx.sql`select pg_terminate_backend(${backend!.pid}::int, 5000)`
      // The end of the connection is read after this turn of the event loop.
      await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
      return sql`select id from runs`
    })
    await expect(dying).rejects.toThrow()
    for (let n = 0; n < 5; n++) expect(await countAs(a.account_id, 'runs')).toBe(1)
  })

  it('whose connection dies during a query fails alone', async () => {
    const dying = readForAccount(ctx.reads, a.account_id, async ({ sql }) => {
      const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
      const sleeping = sql`select pg_sleep(60)`.execute()
      const ended = ctx.sql`select pg_terminate_backend(${backend!.pid}::int)`
      await Promise.all([sleeping, ended])
    })
    await expect(dying).rejects.toThrow()
    for (let n = 0; n < 5; n++) expect(await countAs(a.account_id, 'runs')).toBe(1)
  })

  it('waits while all connections are taken, and each connection is returned whatever a read does', async () => {
    const failing = Array.from({ length: 8 }, (_, n) =>
      readForAccount(ctx.reads, a.account_id, ({ sql }) => sql.unsafe(n % 2 ? 'select 1/0' : 'select 1')),
    )
    const outcomes = await Promise.allSettled(failing)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    expect(await countAs(a.account_id, 'runs')).toBe(1)
  })
})
