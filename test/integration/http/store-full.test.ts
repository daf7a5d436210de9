// What callers are answered while the disk of PostgreSQL is full. The real one is in test/faults/full-disk.slow.test.ts.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { bootstrapAccount } from '../../../shared/accounts/verbs/bootstrap.ts'
import type { Context, Sql } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let sql: Sql
let ask: (path: string, body?: object) => Promise<Response>
let project_id: string
let ctx: Context
beforeAll(async () => {
  const databaseUrl = parts.adopt(await testDatabase(), one => one.drop()).url
  const redisUrl = parts.adopt(await testRedis(), one => one.drop()).url
  const connections = openConnections({ databaseUrl, redisUrl, pool: { sql: 2, db: 1, reads: 1 } })
  parts.defer(() => connections.close())
  ctx = createContext({ connections, config: { base_url: '', master_key: '' }, writeLog: () => {} })
  const first = await bootstrapAccount(ctx)
  project_id = first.project_id
  sql = connections.sql
  const app = createApp(endpoints, () => ctx)
  const headers = { authorization: `Bearer ${first.api_key}`, 'content-type': 'application/json' }
  ask = async (path, body) =>
    app.request(path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
})

/** Every write of agents fails with this error. */
const refuseWrites = (code: string, message: string) =>
  sql.unsafe(`
    create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception '${message}' using errcode = '${code}'; end $$;
    create or replace trigger refuse before insert on agents for each row execute function refuse()`)

it.skipIf(onCluster('a trigger on a distributed table is not made')).for([
  ['53100', 'could not extend file "base/5/1": No space left on device', 'store_full'],
  ['XX000', 'could not write to file "base/pgsql_tmp/1": Disk quota exceeded', 'store_full'],
  ['58030', 'could not write block 5: No space left on device', 'store_full'],
  ['XX000', 'a bug', 'internal'],
  ['53200', 'out of memory', 'store_unreachable'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'store_unreachable'],
] as const)(
  'a write that PostgreSQL refuses by %s (%s) is answered with %s, and reads go on [errors.store-full]',
  async ([code, message, answered]) => {
    await refuseWrites(code, message)
    const refused = await ask('/v1/agents', { project_id, name: 'a', slug: 'a' })
    const { error } = (await refused.json()) as { error: { code: string; hint?: string } }
    expect([refused.status, error.code]).toEqual([500, answered])
    if (answered === 'store_full') {
      expect(refused.headers.get('retry-after')).toBe(String(LIMITS.store_full_retry_s))
      expect(error.hint).toContain('changed nothing')
    }
    expect((await ask('/v1/agents')).status).toBe(200)
  },
)

it('a read that finds no room on the disk says that it needs some, and not that reads go on', async () => {
  const full = Object.assign(new Error('could not write to file "base/pgsql_tmp/1"'), { code: '53100' })
  const read = endpoints.find(({ path, method }) => path === '/v1/agents' && method === 'get')!
  const app = createApp([{ ...read, answer: () => Promise.reject(full) }], () => ctx)
  const { error } = (await (await app.request('/v1/agents')).json()) as {
    error: { code: string; message: string; hint: string }
  }
  expect(error).toMatchObject({
    code: 'store_full',
    message: expect.stringContaining('this read needs room'),
  })
  expect(error.hint).not.toMatch(/write|Reads go on/)
})
