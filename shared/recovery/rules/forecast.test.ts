import { expect, it } from 'vitest'
import { type CostedStep, Forecaster } from './forecast.ts'
import { reuseOf } from './reuse.ts'

const AUTO = { reuse: 'auto', from_step: null } as const
const step = (step_no: number, kind: CostedStep['kind'], name: string, more: Partial<CostedStep> = {}) => ({
  step_no,
  key: name,
  kind,
  name,
  outcome: 'ok' as const,
  cost_micro: kind === 'llm_call' ? 300 : 0,
  started_ms: step_no * 1000,
  duration_ms: 1,
  has_output: true,
  has_input: true,
  ...more,
})
const offSchema = { status: 'completed', outcome_reason: 'schema_mismatch', error_code: null } as const
const outage = { status: 'failed', outcome_reason: 'provider_error', error_code: 'llm_call_error' } as const

it('the forecast adds up the steps to be repeated, and what a whole item costs beyond what is reused', () => {
  const forecaster = new Forecaster()
  const whole = [step(1, 'tool_call', 'find'), step(2, 'llm_call', 'ask'), step(3, 'tool_call', 'send')]
  const broken = [
    step(1, 'tool_call', 'find'),
    step(2, 'llm_call', 'ask', { outcome: 'failed', cost_micro: 0 }),
  ]
  for (let i = 0; i < 2; i++) forecaster.add(offSchema, reuseOf(offSchema, whole, AUTO), 400)
  forecaster.add(outage, reuseOf(outage, broken, AUTO), 400)
  expect(forecaster.forecast()).toEqual({
    items: 3,
    rules: [
      { rule: 'asks_again', reason: 'schema_mismatch', items: 2, asked_again: 2, reused: 2, offered: 2 },
      { rule: 'goes_on', reason: 'provider_error', items: 1, asked_again: 1, reused: 1, offered: 0 },
    ],
    tool_calls: [{ name: 'send', again: 0, if_changed: 2 }],
    max_cost_micro: 1200,
  })
})

it('at most includes calls that never ran: after a refusal, a fault, a budget, or of an item that never began', () => {
  const most = (item: Parameters<typeof reuseOf>[0], steps: CostedStep[], whole: number | null) => {
    const forecaster = new Forecaster()
    forecaster.add(item, reuseOf(item, steps, AUTO), whole)
    return forecaster.forecast().max_cost_micro
  }
  const failed = (error_code: string, outcome_reason: string | null = null) =>
    ({ status: 'failed', outcome_reason, error_code }) as Parameters<typeof reuseOf>[0]
  const refused = { status: 'completed', outcome_reason: 'refusal', error_code: null } as const
  const first = step(1, 'llm_call', 'ask', { cost_micro: 40 })
  // The refusal was short, and the letter after it was never written.
  expect(most(refused, [{ ...first, outcome: 'degraded' }], 900)).toBe(900)
  // What holds is reused and not paid again.
  const broken = step(2, 'llm_call', 'write', { outcome: 'failed', cost_micro: 0 })
  expect(most(failed('llm_call_error', 'provider_error'), [first, broken], 900)).toBe(860)
  expect(most(failed('budget_exceeded'), [first], 900)).toBe(860)
  expect(most({ status: 'cancelled', outcome_reason: null, error_code: null }, [], 900)).toBe(900)
  // Its own calls were dearer than those of others.
  expect(most(refused, [{ ...first, outcome: 'degraded', cost_micro: 2000 }], 900)).toBe(2000)
  // Nobody's calls are known.
  expect(most(refused, [{ ...first, outcome: 'degraded' }], null)).toBe(40)
})
