import { expect, it } from 'vitest'
import { untoldReasons } from './untold-reasons.ts'

const alike = (reason: string, count: number, error_code: string | null = null) => ({
  reason,
  error_code,
  count,
})
const reason = (of: string, count: number, error_code: string | null = null) => ({
  ...alike(of, count, error_code),
  kind: 'dlq' as const,
  waiting: 0,
  message: null,
  record_id: '01900000-0000-7000-8000-000000000001',
})

it('a reason is left out when the causes shown cover all its items', () => {
  const reasons = [reason('refusal', 5), reason('step_error', 3, 'timeout')]
  const causes = [alike('refusal', 2), alike('refusal', 3), alike('step_error', 3, 'another')]
  expect(untoldReasons({ reasons, is_complete: true }, causes)).toEqual([reasons[1]])
})

it('a reason is kept when some of its items have no cause shown, or not all items were counted', () => {
  const reasons = [reason('refusal', 5)]
  expect(untoldReasons({ reasons, is_complete: true }, [alike('refusal', 4)])).toEqual(reasons)
  expect(untoldReasons({ reasons, is_complete: false }, [alike('refusal', 9)])).toEqual(reasons)
})

it('items of a reason are added up over both lanes', () => {
  const reasons = [
    reason('budget_exceeded', 2),
    { ...reason('budget_exceeded', 3), kind: 'quarantine' as const },
  ]
  expect(untoldReasons({ reasons, is_complete: true }, [alike('budget_exceeded', 4)])).toEqual(reasons)
  expect(untoldReasons({ reasons, is_complete: true }, [alike('budget_exceeded', 5)])).toEqual([])
})
