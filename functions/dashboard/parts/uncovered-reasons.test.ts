import { expect, it } from 'vitest'
import { uncoveredReasons } from './uncovered-reasons.ts'

const counted = (reason: string, count: number, error_code: string | null = null) => ({
  reason,
  error_code,
  count,
})
const reason = (of: string, count: number, error_code: string | null = null) => ({
  ...counted(of, count, error_code),
  kind: 'dlq' as const,
  waiting: 0,
  message: null,
  record_id: '01900000-0000-7000-8000-000000000001',
})

it('a reason is left out when the causes shown cover all its items', () => {
  const reasons = [reason('refusal', 5), reason('step_error', 3, 'timeout')]
  const causes = [counted('refusal', 2), counted('refusal', 3), counted('step_error', 3, 'another')]
  expect(uncoveredReasons({ reasons, is_complete: true }, causes)).toEqual([reasons[1]])
})

it('a reason is kept when some of its items have no cause shown, or not all items were counted', () => {
  const reasons = [reason('refusal', 5)]
  expect(uncoveredReasons({ reasons, is_complete: true }, [counted('refusal', 4)])).toEqual(reasons)
  expect(uncoveredReasons({ reasons, is_complete: false }, [counted('refusal', 9)])).toEqual(reasons)
})

it('items of a reason are added up over both lanes', () => {
  const reasons = [
    reason('budget_exceeded', 2),
    { ...reason('budget_exceeded', 3), kind: 'quarantine' as const },
  ]
  expect(uncoveredReasons({ reasons, is_complete: true }, [counted('budget_exceeded', 4)])).toEqual(reasons)
  expect(uncoveredReasons({ reasons, is_complete: true }, [counted('budget_exceeded', 5)])).toEqual([])
})
