import { describe, expect, it } from 'vitest'
import { sampleItem, sampleRun } from '../../test/support/cli-samples.ts'
import { OUTCOME_REASONS } from '../grading/vocabulary.ts'
import { isHeld } from '../items/rules/lifecycle.ts'
import { exitOf, hasEnded, reasonInWords, whyInList, whyOf } from './verdict.ts'

describe('the exit code', () => {
  it.each([
    [0, { status: 'completed', worst_outcome_status: 'ok' }],
    [10, { status: 'partial', worst_outcome_status: 'degraded' }],
    [11, { status: 'partial', worst_outcome_status: 'failed' }],
    [11, { status: 'failed', worst_outcome_status: 'failed' }],
    [11, { status: 'failed', worst_outcome_status: 'degraded' }],
    [12, { status: 'budget_exceeded', worst_outcome_status: 'failed' }],
    [12, { status: 'budget_exceeded', worst_outcome_status: null }],
    [13, { status: 'cancelled', worst_outcome_status: 'ok' }],
    // Decided in triage since, but it still did not work.
    [10, { status: 'completed', worst_outcome_status: 'degraded' }],
    // Held for a person.
    [10, { status: 'running', worst_outcome_status: 'ok', paused: 1 }],
    [11, { status: 'running', worst_outcome_status: 'failed', paused: 1 }],
  ] as const)('is %i for %o', (code, state) => {
    expect(exitOf(sampleRun(state))).toBe(code)
  })
})

describe('a run', () => {
  it('has ended when none of its items is running, whatever its status says', () => {
    expect(hasEnded(sampleRun({ status: 'cancelled', running: 2 }))).toBe(false)
    expect(hasEnded(sampleRun({ status: 'cancelled', finished_at: '2026-01-01T00:00:02.000Z' }))).toBe(true)
  })

  it('is held when only paused items are left, and none goes on by itself', () => {
    expect(isHeld(sampleRun({ queued: 0, running: 0, paused: 1 }))).toBe(true)
    expect(isHeld(sampleRun({ queued: 1, running: 0, paused: 1 }))).toBe(false)
    expect(isHeld(sampleRun({ queued: 0, running: 1, paused: 1 }))).toBe(false)
    expect(isHeld(sampleRun({ queued: 0, running: 0, paused: 0 }))).toBe(false)
    expect(isHeld(sampleRun({ queued: 0, running: 0, paused: 1, waits_for_money: true }))).toBe(false)
  })
})

describe('the reason of a verdict', () => {
  it('is put in words for every token of the grader', () => {
    for (const reason of OUTCOME_REASONS) expect(reasonInWords(reason)).toMatch(/^[a-zA-Z ]{10,}$/)
  })

  it('is the error, else the degraded reason, else the token in words', () => {
    const reasons = { outcome_reason: 'refusal', degraded_reason: 'The call is a refusal.' }
    expect(whyOf(sampleItem({ ...reasons, error_code: 'agent_error', error_message: 'boom' }))).toBe(
      'agent_error: boom',
    )
    expect(whyOf(sampleItem(reasons))).toBe('The call is a refusal.')
    expect(whyOf(sampleItem({ outcome_reason: 'refusal' }))).toBe('the model refused')
    expect(whyOf(sampleItem())).toBe('')
  })

  it('begins in lists with its token, unless the agent put it in its own words', () => {
    const reasons = { outcome_reason: 'refusal', degraded_reason: 'The call is a refusal.' }
    expect(whyInList(sampleItem(reasons))).toBe('refusal: The call is a refusal.')
    expect(whyInList(sampleItem({ outcome_reason: 'refusal' }))).toBe('refusal: the model refused')
    expect(whyInList(sampleItem({ ...reasons, outcome_reason: 'agent_degraded' }))).toBe(
      'The call is a refusal.',
    )
    expect(whyInList(sampleItem({ ...reasons, error_code: 'agent_error', error_message: 'boom' }))).toBe(
      'agent_error: boom',
    )
    expect(whyInList(sampleItem())).toBe('')
  })
})
