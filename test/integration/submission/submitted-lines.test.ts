// Items that are submitted line by line: few are written in one statement, many in chunks, and the rows are those that
// were sent.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import type { Sql } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { openRun } from '../../../shared/submission/queries/open-run.ts'
import { insertChunk } from '../../../shared/submission/queries/submission.ts'
import { submitRun } from '../../../shared/submission/verbs/submit.ts'
import { giveUp } from '../../../shared/submission/verbs/write-chunks.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { onCluster } from '../../support/on-cluster.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())
afterEach(async () => {
  await engine.sql`delete from idempotency_keys`
  await engine.sql`delete from items`
  await engine.sql`delete from runs`
})

it('a long submission that is given up is removed, even if PostgreSQL expects it to have few items', async () => {
  const { ctx, sql } = engine
  await engine.submit(2000)
  await sql`analyze items`
  const id = ctx.newRunId()
  await sql`insert into runs (id, project_id, agent_id, materializing)
    values (${id}, ${engine.project_id}, ${engine.agent_id}, true)`
  await sql`insert into items (project_id, run_id, seq, line, item_id, input, status)
    select ${engine.project_id}, ${id}, n, n, n, '1', 'queued' from generate_series(1, 300000) n`
  // With a plan that compares each item with each, removing a part of them exceeds the statement timeout.
  await giveUp(ctx, { project_id: engine.project_id, run_id: id })
  expect(
    await sql`select (select count(*)::int from items where project_id = ${engine.project_id} and run_id = ${id}) as items,
      count(*)::int as runs from runs where project_id = ${engine.project_id} and id = ${id}`,
  ).toEqual([{ items: 0, runs: 0 }])
})

describe('lines of items', () => {
  let app: ReturnType<typeof createApp>
  let key: string
  let statements: string[]

  beforeAll(async () => {
    const { ctx, project_id } = engine
    key = (await mintKey(ctx, project_id, 'sender of lines')).key
    app = createApp(endpoints, () => ({ ...ctx, sql: noting(said => statements.push(said)) }))
  })
  /** The status and the body of the response, and how many statements wrote runs or items. */
  async function send(lines: ReadableStream<Uint8Array> | string, query: Record<string, string> = {}) {
    statements = []
    const response = await app.request(
      `/v1/batches?${new URLSearchParams({ agent_id: engine.agent_id, allow_unpriced: 'true', ...query })}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
        body: lines,
        duplex: 'half',
      } as RequestInit,
    )
    const { run_id, total_items, error } = (await response.json()) as {
      run_id?: string
      total_items?: number
      error?: { code: string }
    }
    // Opens a run, with its items or without, and appends a chunk. Parts of statements are reported too.
    const writes = statements.filter(text =>
      /^\s*with (admitted|unawaited[\s\S]*from runs)/.test(text),
    ).length
    return { status: response.status, run_id, total_items, code: error?.code, writes }
  }
  const linesOf = (count: number) => Array.from({ length: count }, (_, i) => `{"input":${i}}\n`).join('')
  const counted = async () => {
    const [row] =
      await engine.sql`select runs, items from (select count(*)::int as runs from runs) r, (select count(*)::int as items from items) i`
    return row
  }

  it('are written in one statement if they fit one chunk, and in several if they do not', async () => {
    const [few, many] = [LIMITS.insert_chunk_items, LIMITS.insert_chunk_items + 1]
    expect(await send(linesOf(few))).toMatchObject({ status: 202, total_items: few, writes: 1 })
    expect(await counted()).toEqual({ runs: 1, items: few })
    expect(await send(linesOf(many))).toMatchObject({ status: 202, total_items: many, writes: 3 })
    expect(await counted()).toEqual({ runs: 2, items: few + many })
  })

  it('sent again under their idempotency key start one run, and other lines under it are refused', async () => {
    const once = { idempotency_key: 'lines' }
    const first = await send(linesOf(3), once)
    expect(first).toMatchObject({ status: 202, writes: 1 })
    expect(await send(linesOf(3), once)).toMatchObject({ status: 202, run_id: first.run_id })
    expect(await send(linesOf(2), once)).toMatchObject({ status: 409, code: 'idempotency_key_reused' })
    expect(await counted()).toEqual({ runs: 1, items: 3 })
  })

  it('leave nothing if there are none, if one is invalid, or if an item_id is repeated', async () => {
    expect(await send('\n')).toMatchObject({ status: 400, code: 'no_items' })
    expect(await send(`${linesOf(2)}{}\n`)).toMatchObject({ status: 400, code: 'invalid_line' })
    const twice = '{"input":1,"item_id":"a"}\n'.repeat(2)
    expect(await send(twice)).toMatchObject({ status: 400, code: 'duplicate_item_id' })
    expect(await counted()).toEqual({ runs: 0, items: 0 })
  })

  it('are refused without a write if the caller may not start the run, and are then read to their end', async () => {
    let [sent, isEnded] = [0, false]
    const chunk = new TextEncoder().encode(linesOf(LIMITS.insert_chunk_items))
    const stream = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent++ < 4) controller.enqueue(chunk)
          else {
            isEnded = true
            controller.close()
          }
        },
      })
    expect(await send(stream(), { agent_id: engine.ctx.newId() })).toMatchObject({ status: 404, writes: 0 })
    expect(isEnded).toBe(true)
  })
})

describe('a submission of several chunks', () => {
  it('of which PostgreSQL lost one, as in a crash between two chunks, is refused and leaves nothing', async () => {
    const { ctx, sql, project_id, agent_id } = engine
    const [some, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    async function* chunks() {
      for (let n = 0; n < 3; n++) {
        const first = n * LIMITS.insert_chunk_items + 1
        yield Array.from({ length: LIMITS.insert_chunk_items }, (_, i) => ({
          line: first + i,
          item_id: null,
          partition_key: null,
          input: '1',
        }))
        if (n !== 1) continue
        some.resolve()
        await rest.promise
      }
    }
    const order = { project_id, agent_id, name: null, budget_cents: null, concurrency: null }
    const submitting = submitRun(
      ctx,
      { ...order, timeout_seconds: null, callback_url: null, idempotency: null },
      chunks(),
    )
    const refused = expect(submitting).rejects.toMatchObject({ code: 'store_unreachable' })
    await some.promise
    await eventually(async () => {
      const { count } = await sql`delete from items where seq <= ${LIMITS.insert_chunk_items}`
      expect(count).toBe(LIMITS.insert_chunk_items)
    })
    rest.resolve()
    await refused
    const [left] = await sql`select (select count(*)::int from runs) + (select count(*)::int from items) as n`
    expect(left).toEqual({ n: 0 })
  })
})

const NO_SETTINGS = {
  name: null,
  budget_micro: null,
  concurrency: null,
  timeout_seconds: null,
  patience_seconds: null,
  callback_url: null,
  allow_unpriced: false,
  pilot_items: null,
  tags: [],
  from_source: false,
  started_by: null,
}

describe('items', () => {
  it('are stored as they came, whatever values their columns have in common', async () => {
    const { ctx, sql, project_id, agent_id } = engine
    for (const keys of [[null], ['tenant'], [''], [null, 'tenant', ''], ['a', 'b']])
      for (const step of [1, 2])
        for (const count of [1, 2, 5]) {
          const id = ctx.newRunId()
          const items = Array.from({ length: count }, (_, i) => ({
            line: 3 + i * step,
            item_id: `item ${i}`,
            partition_key: keys[i % keys.length]!,
            input: `{"n":${i}}`,
          }))
          await sql`insert into runs ${sql({ id, project_id, agent_id })}`
          expect(await insertChunk(sql, { project_id, run_id: id }, 7, items)).toBe(count)
          const written =
            await sql`select line, item_id, partition_key, input, seq from items where run_id = ${id} order by seq`
          expect([...written]).toEqual(items.map((item, i) => ({ ...item, seq: 7 + i })))
        }
  })

  it.skipIf(onCluster('the setting holds for the session on the node of the project'))(
    'of a chunk are committed without waiting for the disk, and items written with their run wait for it',
    async () => {
      const { ctx, sql, project_id, agent_id } = engine
      const items = [{ line: 1, item_id: 'one', partition_key: null, input: '1' }]
      const of = { project_id, agent_id }
      const run = { id: ctx.newRunId(), ...of, ...NO_SETTINGS }
      const ways: [commits: string, write: (sql: Sql) => Promise<unknown>][] = [
        ['on', sql => openRun(sql, run, { items, admitted: { deployment_id: null }, key: null })],
        ['off', sql => insertChunk(sql, { project_id, run_id: run.id }, 2, items)],
      ]
      for (const [commits, write] of ways)
        await sql.begin(async tx => {
          await write(tx as unknown as Sql)
          const rows = await tx`select current_setting('synchronous_commit') as commits`
          expect(rows).toMatchObject([{ commits }])
        })
    },
  )
})

/** The engine's connection, which reports every statement, those in a transaction too. */
function noting(note: (text: string) => void) {
  const watched = (sql: object): object =>
    new Proxy(sql, {
      apply(target, self, args) {
        if (Array.isArray(args[0]) && 'raw' in args[0]) note(args[0].join('?'))
        return Reflect.apply(target as never, self, args)
      },
      get(target, name) {
        const own = Reflect.get(target, name)
        if (name !== 'begin') return own
        return (work: (tx: unknown) => unknown) => own.call(target, (tx: object) => work(watched(tx)))
      },
    })
  return watched(engine.sql) as typeof engine.sql
}
