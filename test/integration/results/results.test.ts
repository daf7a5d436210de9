// Results that are read while items are replayed and runs are submitted, and exports that fail halfway.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { createApp } from '../../../shared/http/app.ts'
import { itemsInChunks, nextItems } from '../../../shared/items/queries/items.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { type ResultScope, resultsInChunks, slicesOf } from '../../../shared/results/queries/results.ts'
import type { ResultRow } from '../../../shared/results/wire/results.ts'
import { failure, result, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Plays an agent that fails the items for which `fails` is true. */
const plays = (fails: (item: ItemLine) => boolean, output: unknown = { ok: true }) =>
  engine.play(async function* (items) {
    for (const item of items) yield fails(item) ? failure(item, 'tool_call_error') : result(item, output)
  })

async function resultsOf(scope: ResultScope, size?: number, between?: () => Promise<void>) {
  const { sql } = engine
  const slices = await slicesOf(sql, scope, size)
  const rows: ResultRow[] = []
  const chunks = resultsInChunks(make => make(sql), scope, slices, { only: 'all', withInput: false })
  for await (const chunk of chunks) {
    rows.push(...chunk)
    await between?.()
  }
  return { slices, rows }
}

const agentScope = () => ({
  project_id: engine.project_id,
  agent_id: engine.agent_id,
  from_run_id: '00000000-0000-0000-0000-000000000000',
})

describe('results', () => {
  it('of a large run begin with a small slice, and every item is in exactly one slice', async () => {
    const run_id = await engine.submit([{}])
    await engine.sql`update runs set total_items = 450000 where id = ${run_id}`
    const slices = (await slicesOf(engine.sql, engine.key(run_id))) as { after_seq: number; to_seq: number }[]
    await engine.sql`update runs set total_items = 1 where id = ${run_id}`
    expect(slices[0]).toEqual({ after_seq: 0, to_seq: LIMITS.result_first_items })
    expect(slices.slice(1).map(one => one.after_seq)).toEqual(slices.slice(0, -1).map(one => one.to_seq))
    expect(slices.at(-1)!.to_seq).toBeGreaterThan(2 ** 30)
    const sizes = slices.slice(0, -1).map(one => one.to_seq - one.after_seq)
    expect(Math.max(...sizes)).toBe(LIMITS.result_slice_items)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('come in the order of submission, each once, however many slices they are read in [results.once]', async () => {
    plays(item => item.seq % 3 === 0)
    const items = Array.from({ length: 60 }, (_, n) => ({ partition_key: n < 50 ? 'big' : `small-${n}` }))
    const run_id = await engine.submit(items)
    await consume(engine.ctx)
    plays(() => false, 'again')
    for (const seq of [3, 6, 9]) await replayItem(engine.ctx, engine.item(run_id, seq), {})
    await consume(engine.ctx)
    const whole = await resultsOf(engine.key(run_id))
    expect(whole.rows.map(row => row.item_id)).toEqual(items.map((_, n) => `item-${n + 1}`))
    expect(whole.rows.filter(row => row.tries === 2)).toHaveLength(3)
    expect(whole.rows.map(row => row.line)).toEqual(items.map((_, n) => n + 1))
    const sliced = await resultsOf(engine.key(run_id), 7)
    expect(sliced.slices).toHaveLength(9)
    const byId = (rows: ResultRow[]) =>
      new Map(rows.map(row => [row.item_id, [row.run_id, row.seq, row.tries]]))
    expect(byId(sliced.rows)).toEqual(byId(whole.rows))
    const ofAgent = await resultsOf(agentScope(), 7)
    expect(ofAgent.slices.length).toBeGreaterThan(8)
    expect(byId(ofAgent.rows)).toEqual(byId(whole.rows))
  })

  it('of a recovery over several runs are one per item_id, not one per item [results.once]', async () => {
    plays(() => true)
    for (const _ of [1, 2]) {
      await engine.submit(3)
      await consume(engine.ctx)
    }
    const [first, second] = await engine.sql`select id from runs order by id`
    const run_id = engine.ctx.newRunId()
    await engine.sql`insert into runs ${engine.sql({ id: run_id, project_id: engine.project_id, agent_id: engine.agent_id, replay_of: first!.id, total_items: 6 })}`
    for (const [at, original] of [first!, second!].entries()) {
      await engine.sql`insert into items (project_id, run_id, seq, line, status, item_id, input)
        select project_id, ${run_id}, seq + ${at * 3}::int, seq, 'queued', item_id, input from items where run_id = ${original.id}`
    }
    for (const size of [100, 2])
      expect((await resultsOf(engine.key(run_id), size)).rows.map(row => row.item_id).sort()).toEqual([
        'item-1',
        'item-2',
        'item-3',
      ])
  })

  it('contain each item once while items are replayed and runs are submitted between two chunks [results.once]', async () => {
    plays(() => true)
    const run_id = await engine.submit(40)
    await consume(engine.ctx)
    plays(() => false)
    let seq = 0
    const { rows } = await resultsOf(agentScope(), 5, async () => {
      seq++
      if (seq > 8) return
      await replayItem(engine.ctx, engine.item(run_id, seq), {})
      await engine.submit(seq)
      await consume(engine.ctx)
    })
    expect(rows.map(row => row.item_id).sort()).toEqual(
      Array.from({ length: 40 }, (_, n) => `item-${n + 1}`).sort(),
    )
  })

  it('are read in chunks of a bounded number of bytes, however large each result is [results.bounded]', async () => {
    plays(() => false, 'x'.repeat(1_000_000))
    const run_id = await engine.submit(20)
    await consume(engine.ctx)
    const { sql } = engine
    const scope = engine.key(run_id)
    const sizes: number[] = []
    const chunks = resultsInChunks(make => make(sql), scope, await slicesOf(sql, scope), {
      only: 'all',
      withInput: false,
    })
    for await (const rows of chunks) sizes.push(rows.length)
    expect(sizes.reduce((a, b) => a + b)).toBe(20)
    for (const size of sizes) expect(size).toBeLessThanOrEqual(8)
  })
})

it('item records are exported once each, in chunks of a bounded number of bytes', async () => {
  plays(() => false, 'x'.repeat(1_000_000))
  await engine.submit(20)
  plays(() => false)
  await engine.submit(20)
  await consume(engine.ctx)
  const { sql, project_id } = engine
  const chunks = itemsInChunks(
    (project_id, after, limit) => nextItems(sql, project_id, after, limit),
    [project_id],
    engine.ctx.newRunId(),
  )
  plays(() => false)
  await engine.submit(1) // later than the export began
  const seen: string[] = []
  for await (const rows of chunks) {
    const bytes = rows.reduce((sum, row) => sum + (row.output?.length ?? 0), 0)
    expect(bytes).toBeLessThanOrEqual(LIMITS.export_chunk_bytes)
    seen.push(...rows.map(row => `${row.run_id} ${row.seq}`))
  }
  expect([seen.length, new Set(seen).size]).toEqual([40, 40])
})

describe('an export', () => {
  const asked = async (query: string, ctx = engine.ctx) => askedAt(`/v1/results?${query}`, ctx)

  const askedAt = async (path: string, ctx = engine.ctx) => {
    const { key } = await mintKey(engine.ctx, engine.project_id, 'exports')
    const app = createApp(endpoints, () => ctx)
    return () =>
      app.fetch(new Request(`http://assay.test${path}`, { headers: { authorization: `Bearer ${key}` } }))
  }

  it('breaks off if a database connection breaks, in every format [results.whole, log.answer_broke_off]', async () => {
    const run_id = await engine.submit(1500)
    await consume(engine.ctx)
    let broken = 0
    for (const format of ['json', 'ndjson', 'csv']) {
      let taken = 0
      const reads = {
        ...engine.ctx.reads,
        take: async () => {
          // One read each for the caller and the run, the slices, the winners and the first chunk.
          if (++taken > 4) throw new Error('the connection broke')
          return engine.ctx.reads.take()
        },
      }
      const ask = await asked(`run_id=${run_id}&format=${format}`, { ...engine.ctx, reads })
      const response = await ask()
      expect(response.status).toBe(200)
      const read: string[] = []
      const reading = response
        .body!.pipeThrough(new TextDecoderStream())
        .pipeTo(new WritableStream({ write: text => void read.push(text) }))
      await expect(reading).rejects.toThrow('the connection broke')
      expect(read.at(-1)).toContain('broke_off')
      expect(engine.log.filter(line => line.includes('answer_broke_off'))).toHaveLength(++broken)
    }
  })

  it('is refused while the account has as many open exports as it may, until one has ended [results.bounded]', async () => {
    const run_id = await engine.submit(2)
    await consume(engine.ctx)
    const ask = await asked(`run_id=${run_id}&format=csv&fields=item_id`)
    const open = []
    for (let n = 0; n < LIMITS.result_streams_per_account; n++) open.push(await ask())
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('10')
    expect((await refused.json()).error.message).toBe('This account has 4 exports open.')
    await open[0]!.body!.cancel()
    const next = await ask()
    expect(await next.text()).toBe('item_id\nitem-1\nitem-2\n')
    for (const one of open.slice(1)) expect(await one.text()).toContain('item-2')
  })

  it('of every item record counts as open too [results.bounded]', async () => {
    const run_id = await engine.submit(2)
    await consume(engine.ctx)
    const ask = await askedAt('/v1/durable/runs')
    const open = []
    for (let n = 0; n < LIMITS.result_streams_per_account; n++) open.push(await ask())
    expect((await ask()).status).toBe(429)
    expect((await (await asked(`run_id=${run_id}`))()).status).toBe(429)
    for (const one of open) expect(await one.json()).toHaveLength(2)
    expect((await ask()).status).toBe(200)
  })

  it.for([['results'], ['item records']])(
    'of %s reads nothing more once its key was revoked',
    async ([what]) => {
      plays(() => false, 'x'.repeat(1_000_000))
      const run_id = await engine.submit(30)
      await consume(engine.ctx)
      let later_ms = 0
      const ctx = { ...engine.ctx, now: () => engine.ctx.now() + later_ms }
      const ask = await askedAt(what === 'results' ? `/v1/results?run_id=${run_id}` : '/v1/durable/runs', ctx)
      const reader = (await ask()).body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = (await reader.read()).value!
      await engine.sql`update api_keys set revoked_at = now() where name = 'exports'`
      later_ms = LIMITS.auth_cache_ms
      const rest = async () => {
        for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
      }
      await expect(rest()).rejects.toThrow('revoked while the answer was sent')
      expect(text).toContain('broke_off')
      expect(text.match(/x{1000000}/g)!.length).toBeLessThan(30)
    },
  )

  it('of an unknown run does not count as open [results.bounded]', async () => {
    const ask = await asked(`run_id=${engine.ctx.newRunId()}`)
    for (let n = 0; n <= LIMITS.result_streams_per_account; n++) expect((await ask()).status).toBe(404)
  })
})
