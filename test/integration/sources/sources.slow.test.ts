// Reading a source of a million rows takes memory that does not grow with the rows.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { fireDue } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { readSources } from '../../../shared/sources/verbs/source-reader.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { startSource, type TestSource } from '../../support/source.ts'

const ROWS = 1_000_000
const MiB = 1024 * 1024

let engine: TestEngine
let source: TestSource
let served = 0
beforeAll(async () => {
  engine = await testEngine()
  source = await startSource(async response => {
    response.writeHead(200, { 'item-count': String(ROWS) })
    for (let at = 0; at < ROWS; at += 1000) {
      served = at
      const rows = Array.from(
        { length: 1000 },
        (_, n) => `{"id":"T-${at + n}","text":"${'x'.repeat(200)}"}\n`,
      )
      if (!response.write(rows.join(''))) await new Promise(resolve => response.once('drain', resolve))
    }
    response.end()
  })
})
afterAll(() => Promise.all([engine.close(), source.close()]))

it('reading a million rows, 220 MB, takes at most 64 MiB more memory after the first third than in it [sources.schedule]', async () => {
  const { ctx, sql, project_id, agent_id } = engine
  await createSchedule(ctx, {
    project_id,
    agent_id,
    name: null,
    cron: '* * * * *',
    timezone: 'UTC',
    enabled: true,
    declared: false,
    input: 'null',
    budget_cents: null,
    timeout_seconds: null,
    callback_url: null,
    source: { url: source.url, format: 'ndjson', item_id: 'id' },
  })
  await sql`update schedules set next_at = date_trunc('minute', now())`
  await fireDue(ctx)
  let early = 0
  let late = 0
  const watch = setInterval(() => {
    const { rss } = process.memoryUsage()
    if (served < ROWS / 3) early = Math.max(early, rss)
    else late = Math.max(late, rss)
  }, 100)
  await readSources(ctx)
  await ctx.idle()
  clearInterval(watch)
  const [run] = await sql`select total_items, materializing from runs`
  expect(run).toEqual({ total_items: ROWS, materializing: false })
  expect(late - early).toBeLessThan(64 * MiB)
}, 600_000)
