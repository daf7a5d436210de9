// Reading a source of a million rows takes memory that does not grow with the rows.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fireDue } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { readSources } from '../../../shared/sources/verbs/source-reader.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { startSource, type TestSource } from '../../support/source.ts'

const ROWS = 1_000_000
/** Between two looks at the memory. */
const LOOK_ROWS = 50_000
const MiB = 1024 * 1024

let engine: TestEngine
let source: TestSource
/** Bytes in use after each LOOK_ROWS rows. What a process takes beyond that is garbage, of which there is more or less by chance. */
const held: number[] = []
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function look(): void {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  held.push(heapUsed + external)
}

beforeAll(async () => {
  engine = await testEngine()
  source = await startSource(async response => {
    response.writeHead(200, { 'item-count': String(ROWS) })
    for (let at = 0; at < ROWS; at += 1000) {
      if (at % LOOK_ROWS === 0) look()
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

it('reading a million rows, 220 MB, holds at most 64 MiB more after the first third than in it [sources.schedule]', async () => {
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
  await readSources(ctx)
  await ctx.idle()
  const [run] = await sql`select total_items, materializing from runs`
  expect(run).toEqual({ total_items: ROWS, materializing: false })
  const third = held.length / 3
  const [early, late] = [held.slice(0, third), held.slice(third)].map(some => Math.max(...some))
  expect(held.length).toBe(ROWS / LOOK_ROWS)
  expect(late! - early!).toBeLessThan(64 * MiB)
}, 600_000)
