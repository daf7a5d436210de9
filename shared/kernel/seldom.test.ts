import { expect, it } from 'vitest'
import { LIMITS } from './limits.ts'
import { isToLog } from './seldom.ts'

it('a reason is logged at once and then once a minute, another one or of another pool at once', () => {
  const [pool, other] = [{}, {}]
  const seconds = Array.from({ length: 120 }, (_, second) => 1_000_000 + second * 1000)
  expect(seconds.filter(now_ms => isToLog(pool, 'ECONNREFUSED', now_ms))).toEqual([1_000_000, 1_060_000])
  const now_ms = seconds.at(-1)!
  expect(isToLog(pool, 'is starting up', now_ms)).toBe(true)
  expect(isToLog(pool, 'is starting up', now_ms)).toBe(false)
  expect(isToLog(other, 'is starting up', now_ms)).toBe(true)
  expect(isToLog(pool, 'is starting up', now_ms + LIMITS.log_repeat_ms)).toBe(true)
})
