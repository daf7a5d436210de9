import { expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { createIdClock } from './id-clock.ts'

const HOUR = 3_600_000

/** A process and a database with clocks of their own, which a test moves. */
function clocks(ahead_ms: number) {
  const time = { database: 1_700_000_000_000, steady: 5_000, wall: 1_700_000_000_000 + ahead_ms, asked: 0 }
  const clock = createIdClock(
    async () => {
      time.asked++
      return time.database
    },
    { steady: () => time.steady, wall: () => time.wall },
  )
  const pass = (ms: number) => {
    time.database += ms
    time.steady += ms
    time.wall += ms
  }
  return { time, clock, pass }
}

it.each([48 * HOUR, -48 * HOUR, 0])(
  'ids have the time of the database if the process is %d ms ahead',
  async ahead => {
    const { time, clock, pass } = clocks(ahead)
    await clock.known()
    pass(1234)
    expect(clock.now()).toBe(time.database)
  },
)

it('ids keep the time of the database while the clock of the process is set', async () => {
  const { time, clock, pass } = clocks(0)
  await clock.known()
  pass(1000)
  time.wall += 48 * HOUR
  expect(clock.now()).toBe(time.database)
})

it('after the machine slept, the database is asked before the next request', async () => {
  const { time, clock } = clocks(0)
  await clock.known()
  time.database += 8 * HOUR
  time.wall += 8 * HOUR
  await clock.known()
  expect(clock.now()).toBe(time.database)
  expect(time.asked).toBe(2)
  await clock.known()
  expect(time.asked).toBe(2)
})

it('the database is asked again now and then, since clocks drift apart', async () => {
  const { time, clock, pass } = clocks(0)
  await clock.known()
  pass(LIMITS.id_clock_ms + 1)
  time.database += 500
  clock.now()
  await new Promise(setImmediate)
  expect([time.asked, clock.now()]).toEqual([2, time.database])
})

it('while the database cannot be asked, ids have the time of the process', async () => {
  const clock = createIdClock(() => Promise.reject(new Error('away')), { steady: () => 1, wall: () => 42 })
  await clock.known()
  expect(clock.now()).toBe(42)
})
