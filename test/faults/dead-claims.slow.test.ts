// A consumer dies that held many claims of one item each, as from many small runs.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

/** A lease of 25 s, a tick, and the time to release so many claims. */
const PROMISED_MS = 35_000
const SUBMITTED_AT_ONCE = 25

let stack: Stack
beforeEach(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterEach(() => stack?.close())

const count = async (query: 'claims' | 'offered' | 'ok') => {
  const { sql } = stack
  const rows = {
    claims: sql`select count(*)::int as n from claims`,
    offered: sql`select count(*)::int as n from attempts where code = 'lease_lost'`,
    ok: sql`select count(*)::int as n from runs where ok = 1 and finished_at is not null`,
  }
  return (await rows[query])[0]!.n as number
}

/** Polls rarely enough to be no load. */
const becomes = (query: Parameters<typeof count>[0], items: number, timeout: number) =>
  vi.waitFor(async () => expect(await count(query)).toBe(items), { timeout, interval: 500 })

/** 5,000 claims take minutes: `npm run test:long`. */
const HELD = process.env.LONG === '1' ? 5000 : 750

it.for([HELD])(
  'a consumer killed with %i claims of one item each has all of them retried within 35 s, and each ends once',
  { timeout: 6 * PATIENCE_MS },
  async items => {
    const agentId = await stack.deploy()
    const release = stack.probe.hold(() => true)
    const runIds: string[] = []
    for (let n = 0; n < items; n += SUBMITTED_AT_ONCE)
      runIds.push(
        ...(await Promise.all(
          Array.from({ length: SUBMITTED_AT_ONCE }, () => stack.submit(agentId, [{ steps: 0 }])),
        )),
      )
    const doomed = await stack.startConsumer()
    await becomes('claims', items, 2 * PATIENCE_MS)
    const died = performance.now()
    await doomed.end('SIGKILL')
    await becomes('offered', items, PATIENCE_MS)
    const took_ms = Math.round(performance.now() - died)
    console.info(`${items} claims of one item were all offered again ${took_ms} ms after their consumer died`)
    expect(took_ms).toBeLessThan(PROMISED_MS)
    expect(took_ms).toBeGreaterThan(10_000) // otherwise the leases were not what held them back

    release()
    await stack.startConsumer()
    await becomes('ok', items, 2 * PATIENCE_MS)
    expect(await stack.sql`select * from audit_breaches`).toEqual([])
    for (const runId of [runIds[0]!, runIds.at(-1)!]) expect(await stack.breaches(runId)).toEqual([])
  },
)
