import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { LIST_PRICES } from '../../prices/rules/price-book.ts'
import type { StepReport } from '../../protocol/rules/protocol.ts'
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

const callRow = (of: Partial<StepReport>) => {
  const step: StepReport = {
    key: 'k',
    kind: 'llm_call',
    name: 'n',
    input: { model: 'gpt-4o' },
    started_at: AT,
    duration_ms: 1,
    ...of,
  }
  return stepRow(readStep(step, JSON.stringify(step)), PLACE, LIST_PRICES)
}
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const chat = {
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ message: { content: 'x' }, finish_reason: 'stop' }],
  usage,
}

describe('a call whose provider did not answer', () => {
  it.each<[string, unknown, string]>([
    ['but with an error', { error: { code: 502, message: 'Upstream error' } }, 'Upstream error'],
    ['but with a page', '<!doctype html><title>502</title>', 'a page instead of an answer'],
    [
      'with any candidate',
      { usageMetadata: { promptTokenCount: 9 }, modelVersion: 'g' },
      'no candidate in the answer',
    ],
  ])('%s has failed, is not unpriced, and is asked again', (_, output, words) => {
    expect(callRow({ output })).toMatchObject({
      outcome: 'failed',
      outcome_reason: 'provider_error',
      error_code: 'llm_call_error',
      error_message: words,
      unpriced: false,
      unread: null,
      output: JSON.stringify(output),
    })
  })

  it('costs what it reports', () => {
    const row = callRow({ output: { ...chat, choices: [] } })
    expect(row).toMatchObject({ error_code: 'llm_call_error', input_tokens: 100, unpriced: false })
    expect(row.cost_micro).toBe(callRow({ output: chat }).cost_micro)
  })
})

describe('a call that failed after its answer had come', () => {
  const error = { code: 'answer_refused', message: 'no such category' }
  it('costs what it costs, and keeps the answer', () => {
    const row = callRow({ output: chat, error })
    expect(row).toMatchObject({
      outcome: 'degraded',
      outcome_reason: 'agent_degraded',
      graded: true,
      error_code: 'answer_refused',
    })
    expect(row).toMatchObject({
      output: JSON.stringify(chat),
      input_tokens: 100,
      output_tokens: 20,
      unpriced: false,
    })
    expect(row.cost_micro).toBe(callRow({ output: chat }).cost_micro)
  })

  it('is of unknown cost if it has no counts', () => {
    expect(callRow({ output: 'billing', error })).toMatchObject({ unpriced: true, cost_micro: 0 })
  })

  it('costs what its agent reports', () => {
    const answer = { text: 'billing', usage: { input_tokens: 100, output_tokens: 20 } }
    expect(callRow({ error, answer }).cost_micro).toBe(callRow({ output: chat }).cost_micro)
  })

  it('is not of unknown cost if it was cut', () => {
    const thrown = { code: 'llm_call_error', message: 'aborted' }
    const pieces = [
      { object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ delta: { content: 'bil' } }] },
    ]
    expect(callRow({ output: pieces, error: thrown })).toMatchObject({
      outcome: 'degraded',
      outcome_reason: 'interrupted',
      unpriced: false,
      unread: null,
    })
  })

  it('is unread if nothing is known of it', () => {
    expect(callRow({ output: { says: 'x' }, error })).toMatchObject({
      unread: expect.any(String),
      unpriced: true,
    })
  })
})
