import { expect, it } from 'vitest'
import { LIMITS } from './limits.ts'
import { isToLog } from './throttle.ts'

it('a reason is logged at once and then once a minute, another one or of another pool at once', () => {
  const sql = {}
  const at = (now_ms: number) => ({ sql, now: () => now_ms })
  const seconds = Array.from({ length: 120 }, (_, second) => 1_000_000 + second * 1000)
  expect(seconds.filter(now_ms => isToLog(at(now_ms), 'ECONNREFUSED'))).toEqual([1_000_000, 1_060_000])
  const now_ms = seconds.at(-1)!
  expect(isToLog(at(now_ms), 'is starting up')).toBe(true)
  expect(isToLog(at(now_ms), 'is starting up')).toBe(false)
  expect(isToLog({ ...at(now_ms), sql: {} }, 'is starting up')).toBe(true)
  expect(isToLog(at(now_ms + LIMITS.log_repeat_ms), 'is starting up')).toBe(true)
})
