// The clock of every process is set back by an hour while they work. PostgreSQL's clock, which items, leases and
// schedules follow, is not.

import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

const NODE_OPTIONS = `--import=${join(import.meta.dirname, 'support/clock-set-back.mjs')}`
const HOUR_MS = 3_600_000
const ITEMS = 40

let stack: Stack
beforeEach(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterEach(() => stack?.close())

const readiness = async () => (await fetch(`${stack.base_url}/health/ready`)).json()

/** Resolves when every item has reached its second step in this attempt. */
const callsBecome = (attempt: number) =>
  vi.waitFor(
    () => {
      const at = stack.probe.calls.filter(call => call.step === 's2' && call.attempt === attempt)
      expect(new Set(at.map(({ item }) => item)).size).toBe(ITEMS)
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )

it('nothing stands still: runs end, items of a dead consumer are retried within 35 s, schedules fire, and keys stay valid', {
  timeout: 5 * PATIENCE_MS,
}, async () => {
  const { sql } = stack
  await stack.control.end()
  stack.control = await stack.startPart('api', { ASSAY_PARTS: 'api,tick', NODE_OPTIONS })
  const agentId = await stack.deploy()
  const [heir, doomed] = await Promise.all([
    stack.startConsumer(undefined, { NODE_OPTIONS }),
    stack.startConsumer(undefined, { NODE_OPTIONS }),
  ])
  const release = stack.probe.hold(call => call.step === 's2')
  const runId = await stack.submit(agentId, Array<object>(ITEMS).fill({}))
  await callsBecome(1)
  const [before] = await sql`select sum(cardinality(seqs))::int as held, count(*)::int as claims from claims`
  expect(before!.held).toBe(ITEMS)

  for (const one of [stack.control, heir, doomed]) one.signal('SIGUSR2')
  // Each request is logged with its time, which shows that the clock was set.
  await vi.waitFor(
    async () => {
      await fetch(`${stack.base_url}/health`)
      const { at } = JSON.parse(stack.control.log.filter(line => line.includes('"request"')).at(-1)!)
      expect(Date.now() - Date.parse(at)).toBeGreaterThan(HOUR_MS / 2)
    },
    { timeout: PATIENCE_MS / 4, interval: 100 },
  )
  await doomed.end('SIGKILL')
  await heir.end('SIGKILL')
  const died = performance.now()
  await stack.startConsumer(undefined, { NODE_OPTIONS })
  await callsBecome(2)
  const waited_ms = Math.round(performance.now() - died)
  console.info(`with the clocks an hour back ${ITEMS} items were offered again after ${waited_ms} ms`)
  expect(waited_ms).toBeLessThan(35_000)
  release()
  expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: ITEMS })
  expect(await stack.breaches(runId)).toEqual([])

  const [schedule] = await sql<{ id: string }[]>`
    insert into schedules (id, project_id, agent_id, cron, input, next_at)
    select gen_random_uuid(), project_id, id, '* * * * *', '{"steps":0}', date_trunc('minute', now())
    from agents where id = ${agentId} returning id`
  const fired = await vi.waitFor(
    async () => {
      const [row] = await sql`
        select run_id from occurrences where schedule_id = ${schedule!.id} and outcome = 'fired'`
      expect(row).toBeDefined()
      return row!.run_id as string
    },
    { timeout: PATIENCE_MS, interval: 100 },
  )
  expect(await stack.finished(fired)).toMatchObject({ status: 'completed', ok: 1 })
  await sql`delete from schedules`
  // Twice, since both answers are cached for a while, and computed again after it.
  for (let asked = 0; asked < 2; asked++) {
    expect((await stack.client.GET('/v1/projects')).response.status).toBe(200)
    const ready = await readiness()
    expect(ready).toMatchObject({ status: 'ready', turns: { tick: { status: 'ok' } } })
  }
})
