import { expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { LIST_PRICES } from '../../prices/rules/price-book.ts'
import { ProtocolError, readStep, stepRow } from './step-row.ts'

const PLACE = { seq: 1, attempt: 1, step_no: 1 }
const AT = '2026-01-01T00:00:00Z'
const rowThatTook = (duration_ms: unknown) => {
  const step = { key: 'k', kind: 'tool_call', name: 'n', started_at: AT, duration_ms } as const
  return stepRow(readStep(step as never, JSON.stringify(step)), PLACE, LIST_PRICES)
}

it.each([[0], [0.1], [LIMITS.step_duration_ms]])('a step may take %d ms', duration_ms => {
  expect(rowThatTook(duration_ms).duration_ms).toBe(duration_ms)
})

it('a negative duration, from a clock that was set back, counts as zero', () => {
  expect(rowThatTook(-1500).duration_ms).toBe(0)
})

it.each([[1e300], [LIMITS.step_duration_ms + 1], ['5'], [null], [undefined]])(
  'a step with the duration %s is refused',
  duration_ms => {
    expect(() => rowThatTook(duration_ms)).toThrow(ProtocolError)
  },
)
