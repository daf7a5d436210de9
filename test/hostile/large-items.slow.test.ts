// A tenant has items as large as they may be: everything that shows them answers, in pages and streams of a bounded
// size, and the process does not grow with them.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import { createApp } from '../../shared/http/app.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { result, step, type TestEngine, testEngine } from '../support/engine.ts'

const ITEMS = 600
const BYTES = 1_000_000 // of each input and output, near the most that is allowed
const GROWTH = 300_000_000

let engine: TestEngine
let ask: (path: string, accept?: string) => Promise<Response>
let runId: string
beforeEach(async () => {
  engine = await testEngine()
  const { ctx, sql, project_id, agent_id } = engine
  const { key } = await mintKey(ctx, project_id, 'reader of large items')
  const app = createApp(endpoints, () => ctx)
  ask = async (path, accept = 'application/json') =>
    app.request(path, { headers: { authorization: `Bearer ${key}`, accept } })
  runId = ctx.newRunId()
  await sql`insert into runs ${sql({ id: runId, project_id, agent_id, total_items: ITEMS, ok: ITEMS, next_seq: ITEMS + 1, finished_at: new Date() })}`
  const text = `"${'large '.repeat(BYTES / 6)}"`
  for (let seq = 1; seq <= ITEMS; seq++)
    await sql`insert into items ${sql({ project_id, run_id: runId, seq, line: seq, status: 'completed', outcome: 'ok', item_id: `item ${seq}`, input: text, output: text, attempt: 1, completed_at: new Date() })}`
}, 120_000)
afterEach(() => engine.close())

/** The result of the work, and by how many bytes the process grew at most meanwhile. */
async function grownBy<T>(work: () => Promise<T>): Promise<[T, number]> {
  const held = () => process.memoryUsage().rss
  const before = held()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, held())
  }, 5)
  try {
    const value = await work()
    return [value, Math.max(most, held()) - before]
  } finally {
    clearInterval(timer)
  }
}

async function linesOf(response: Response): Promise<number> {
  let lines = 0
  for await (const piece of response.body!) {
    const bytes = Buffer.from(piece as Uint8Array)
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  }
  return lines
}

it('pages are cut by bytes and lead to all items', async () => {
  const [names, growth] = await grownBy(async () => {
    const names: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await ask(`/v2/runs/${runId}/items?limit=500${cursor && `&cursor=${cursor}`}`)
      expect(answer.status).toBe(200)
      const text = await answer.text()
      expect(text.length).toBeLessThan(LIMITS.page_bytes + 3 * BYTES)
      names.push(...(JSON.parse(text) as { item_id: string }[]).map(item => item.item_id))
      cursor = answer.headers.get('x-next-cursor')
    }
    return names
  })
  console.log(`pages of ${ITEMS} items of ${BYTES} bytes: ${Math.round(growth / 1e6)} MB more`)
  expect(names).toEqual(Array.from({ length: ITEMS }, (_, i) => `item ${i + 1}`))
  expect(growth).toBeLessThan(GROWTH)
}, 300_000)

it.each([
  ['the export', () => '/v1/durable/runs'],
  ['the results', () => `/v1/results?run_id=${runId}`],
])(
  'the stream of %s is complete',
  async (what, path) => {
    const [lines, growth] = await grownBy(async () => {
      const answer = await ask(path(), 'application/x-ndjson')
      expect(answer.status).toBe(200)
      return linesOf(answer)
    })
    console.log(`${what} of ${ITEMS} items of ${BYTES} bytes: ${Math.round(growth / 1e6)} MB more`)
    expect(lines).toBeGreaterThanOrEqual(ITEMS)
    expect(growth).toBeLessThan(GROWTH)
  },
  300_000,
)

it('a search finds steps with payloads as large as they may be, page by page', async () => {
  const STEPS = 300
  const text = `a needle ${'large '.repeat(LIMITS.step_payload_bytes / 6 - 10)}`
  engine.play(items =>
    items.flatMap(item => [step(item, 'large', { input: text, output: text }), result(item)]),
  )
  const searched = await engine.submit(STEPS)
  await consume(engine.ctx)
  expect(await engine.run(searched)).toMatchObject({ ok: STEPS })
  const [found, growth] = await grownBy(async () => {
    let found = 0
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await ask(
        `/v1/steps?q=needle&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      expect(answer.status).toBe(200)
      const page = (await answer.json()) as { steps: unknown[]; next_cursor: string | null }
      found += page.steps.length
      cursor = page.next_cursor
    }
    return found
  })
  console.log(`search of ${STEPS} steps of ${2 * text.length} bytes: ${Math.round(growth / 1e6)} MB more`)
  expect(found).toBe(STEPS)
  expect(growth).toBeLessThan(GROWTH)
}, 300_000)
