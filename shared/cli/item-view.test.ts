import { describe, expect, it } from 'vitest'
import { sampleRecord, sampleStep, screen } from '../../test/support/cli-samples.ts'
import { widthOf } from './format.ts'
import { itemText, recordText, traceText } from './item-view.ts'

describe('the record of an item', () => {
  it('shows the verdict and its reason in words', () => {
    const refused = sampleRecord({
      outcome_status: 'degraded',
      outcome_reason: 'refusal',
      degraded_reason: 'The last model call (classify) is a refusal.',
    })
    const lines = recordText(refused, screen(100)).split('\n')
    expect(lines).toContain('ran      completed in 1.5 s, 1 attempt, 1 step')
    expect(lines).toContain('worked   degraded: the model refused (refusal)')
    expect(lines).toContain('why      The last model call (classify) is a refusal.')
    expect(lines).toContain('cost     $0.0012 · 320 tokens in · 14 out · list prices of 2026-01-01')
    expect(lines).toContain('output   {"intent":"greeting"}')
  })

  it('shows for a held item that there is no verdict yet, and why it waits', () => {
    const held = sampleRecord({
      status: 'paused',
      outcome_status: null,
      degraded_reason: 'over 10,000',
      output: null,
    })
    const text = recordText(held, screen(100))
    expect(text).toContain('worked   no verdict yet')
    expect(text).toContain('why      over 10,000')
    expect(text).toContain('output   none')
  })
})

describe('a trace', () => {
  it('is a tree of attempts and steps in order, with time, tokens and cost', () => {
    const steps = [
      sampleStep({ attempt: 2, step_no: 1 }),
      sampleStep({
        attempt: 1,
        step_no: 2,
        key: 'route',
        type: 'tool_call',
        model: null,
        input_tokens: 0,
        output_tokens: 0,
        cost_usd: 0,
        outcome_status: 'failed',
        error_code: 'tool_call_error',
        error_message: 'gone',
        output: null,
      }),
      sampleStep({ attempt: 1, step_no: 1 }),
    ]
    expect(traceText(steps, screen(100)).split('\n')).toEqual([
      'attempt 1',
      '├─ ok classify  llm_call gpt-5-mini  312 ms  320→14 tokens  $0.0012',
      '│    in  hello',
      '│    out {"intent":"greeting"}',
      '└─ failed route  tool_call classify  312 ms',
      '     why tool_call_error: gone',
      '     in  hello',
      'attempt 2',
      '└─ ok classify  llm_call gpt-5-mini  312 ms  320→14 tokens  $0.0012',
      '     in  hello',
      '     out {"intent":"greeting"}',
    ])
  })

  it('marks a step that was reused from an earlier item', () => {
    expect(traceText([sampleStep({ reused: true, cost_usd: 0 })], screen(100))).toMatch(/tokens {2}reused$/m)
  })

  it('shortens payloads to the width of the screen, however long they are', () => {
    const long = sampleStep({ input: 'x'.repeat(100_000), output: { text: 'é\x1b'.repeat(50_000) } })
    const text = itemText(sampleRecord({ input_snapshot: 'y'.repeat(100_000) }), [long], screen(80))
    for (const line of text.split('\n').slice(7)) expect(widthOf(line)).toBeLessThanOrEqual(80)
    expect(text).not.toContain('\x1b')
  })
})
