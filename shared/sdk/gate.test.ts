import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LIMITS } from '../kernel/limits.ts'
import type { ReportedLimit } from '../pacing/vocabulary.ts'
import { Gate } from './gate.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const here = () => false
/** A bucket of 600 in a minute: ten calls a second. */
const tenASecond = (left: number): ReportedLimit => ({
  of: 'requests',
  amount: 600,
  left,
  reset_ms: (600 - left) * 100,
  window_ms: 60_000,
})

function gateWith(left: number): Gate {
  const gate = new Gate(Date.now)
  while (gate.enter(here) === undefined);
  vi.advanceTimersByTime(LIMITS.upstream_held_ms + 100)
  gate.served([tenASecond(left)], Date.now())
  return gate
}

it('lets the first calls begin at once, and others once it has seen how these are answered', async () => {
  const gate = new Gate(Date.now)
  const turns = Array.from({ length: 6 }, () => gate.enter(here))
  expect(turns.map(turn => turn === undefined)).toEqual([true, true, true, true, false, false])
  vi.advanceTimersByTime(100)
  gate.served([], Date.now())
  await vi.advanceTimersByTimeAsync(40)
  await expect(Promise.all(turns)).resolves.toEqual([undefined, undefined, undefined, undefined, true, true])
})

it('lets calls begin in their order, as fast as the limits allow', async () => {
  const gate = gateWith(15)
  const started: number[] = []
  for (let i = 0; i < 30; i++) void Promise.resolve(gate.enter(here)).then(() => started.push(i))
  await vi.advanceTimersByTimeAsync(2000)
  expect(started).toEqual(started.toSorted((a, b) => a - b))
  expect(started.length).toBeGreaterThan(12)
  expect(started.length).toBeLessThan(24)
})

it('keeps a limit that a person set, from the first call on', async () => {
  const gate = new Gate(Date.now)
  gate.declared = { requests: '120/min' }
  let calls = 0
  for (let i = 0; i < 60; i++)
    void Promise.resolve(gate.enter(here)).then(may => {
      calls += may === false ? 0 : 1
    })
  await vi.advanceTimersByTimeAsync(5000)
  expect(calls).toBeGreaterThanOrEqual(9)
  expect(calls).toBeLessThanOrEqual(11)
})

it('gives no turn to whoever has gone', async () => {
  const gate = gateWith(30)
  let isGone = false
  const given_up = Array.from({ length: 200 }, () => gate.enter(() => isGone))
  const last = gate.enter(here)
  isGone = true
  await vi.advanceTimersByTimeAsync(200)
  await expect(last).resolves.toBe(true)
  expect(given_up.length).toBe(200)
})

it('does not begin a call that waited for long', async () => {
  const gate = gateWith(0)
  const turn = gate.enter(here)
  const last = Array.from({ length: 500 }, () => gate.enter(here)).at(-1)
  await vi.advanceTimersByTimeAsync(LIMITS.upstream_held_ms + 100)
  await expect(last).resolves.toBe(false)
  await expect(turn).resolves.toBe(true)
})

it('reports a few times a second what was served and how many wait', () => {
  const gate = gateWith(30)
  for (let i = 0; i < 50; i++) void gate.enter(here)
  expect(gate.toReport()).toMatchObject({ served: 1 })
  expect(gate.toReport()).toBeUndefined()
  gate.served([], Date.now())
  gate.served([], Date.now())
  vi.advanceTimersByTime(LIMITS.upstream_report_ms)
  const report = gate.toReport()!
  expect(report.served).toBe(2)
  expect(report.held).toBeGreaterThan(40)
})

it('reports a client that tries again once, and again when it is seen again', () => {
  const gate = new Gate(Date.now)
  const next = () => {
    vi.advanceTimersByTime(LIMITS.upstream_report_ms)
    return gate.toReport()?.client_retries
  }
  gate.clientRetries = true
  expect([next(), next(), next()]).toEqual([true, undefined, undefined])
  gate.clientRetries = true
  expect([gate.takeSeen(), gate.takeSeen(), next()]).toEqual([{ client_retries: true }, {}, undefined])
})
