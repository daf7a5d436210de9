// Behind PgBouncer in transaction mode, where each transaction may run in another session.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { openDatabase } from '../../../infra/node/connections.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { createApp } from '../../../shared/http/app.ts'
import { onceMore } from '../../../shared/kernel/unreachable.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { conservation, failure, result, step, testEngine } from '../../support/engine.ts'
import { migrate } from '../../support/migrate.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { hasPgBouncer, type Pooler, startPgBouncer } from '../../support/pgbouncer.ts'
import { testDatabase } from '../../support/stores.ts'

const SESSIONS = 4 // fewer than the connections that any process of Assay opens

let pooler: Pooler

// PgBouncer is no dependency; where it is not installed, these tests are skipped.
describe.skipIf(!hasPgBouncer || onCluster('its pooler signs in with a password'))('behind PgBouncer', () => {
  beforeAll(async () => {
    pooler = await startPgBouncer(inject('stores').databaseUrl, SESSIONS)
  })
  afterAll(() => pooler.close())

  const through = (databaseUrl: string) => pooler.through(databaseUrl)

  it('two consumers finish a submitted batch, and its counters are right', async () => {
    const engine = await testEngine({ through })
    try {
      engine.play(items =>
        items.flatMap(item => [
          step(item, 'look'),
          item.seq % 7 === 0 ? failure(item, 'tool_call_error') : result(item),
        ]),
      )
      const runId = await engine.submit(5000)
      await Promise.all([consume(engine.ctx), consume({ ...engine.ctx })])
      await sweep(engine.ctx)
      expect(await engine.run(runId)).toMatchObject({ ok: 4286, failed: 714, running: 0 })
      expect(await conservation(engine, runId)).toEqual([])
    } finally {
      await engine.close()
    }
  })

  it('many callers at once read under their own account', async () => {
    const engine = await testEngine({ through })
    try {
      const runId = await engine.submit(3)
      const { key } = await mintKey(engine.ctx, engine.project_id, 'reader')
      const app = createApp(endpoints, () => engine.ctx)
      const ask = (path: string) => app.request(path, { headers: { authorization: `Bearer ${key}` } })
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => ask(n % 2 === 0 ? '/v2/runs' : `/v2/runs/${runId}/items`)),
      )
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
      const [runs] = await Promise.all(answers.slice(0, 1).map(answer => answer.json()))
      expect(runs).toHaveLength(1)
    } finally {
      await engine.close()
    }
  })

  it('a query that failed after a long wait for a session is not sent again', async () => {
    await using parts = new AsyncDisposableStack()
    const database = parts.adopt(await testDatabase(), one => one.drop())
    const single = await startPgBouncer(database.url, 1, { query_wait_timeout: 1 })
    parts.defer(() => single.close())
    const open = () => {
      const { sql, close } = openDatabase({ databaseUrl: single.through(database.url) })
      parts.defer(close)
      return sql
    }
    const [sql, other] = [open(), open()]
    await sql`select 1`
    const asks: unknown[] = []
    const waited = [0, 6000] // ms on the clock, as with a pooler that lets clients wait longer
    await other.begin(async tx => {
      await tx`select 1` // holds the only session
      const ask = async () => {
        asks.push(sql`select 1`)
        await asks.at(-1)
      }
      await expect(onceMore(ask, () => waited.shift()!)).rejects.toThrow('CONNECTION_CLOSED')
    })
    expect(asks).toHaveLength(1)
  })

  it('a migration is refused, with the advice to name the database itself, unless nothing is left to migrate', async () => {
    const database = await testDatabase()
    try {
      await expect(migrate(through(database.url))).resolves.toBeUndefined()
    } finally {
      await database.drop()
    }
    const empty = through(inject('stores').databaseUrl)
    await expect(migrate(empty)).rejects.toThrow('name the database itself')
  })
})
