import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { beginningOf, timeWarnings } from './consumer-time.ts'

const whole_ms = LIMITS.consume_ms - LIMITS.hand_over_ms
const times = { declared_ms: 0, recorded_ms: 45_000, left_ms: 48_000, whole_ms, cuts: null }

describe('an item', () => {
  it('is started if nothing is known of its steps, or if they fit into the time left', () => {
    expect(beginningOf({ ...times, recorded_ms: 0, left_ms: 100 })).toBe('now')
    expect(beginningOf(times)).toBe('now')
  })

  it('is left once to the next consumer if a recorded step is longer than the time left, and is then started', () => {
    const late = { ...times, left_ms: 44_000 }
    expect(beginningOf(late)).toBe('next')
    expect(beginningOf({ ...late, cuts: 0 })).toBe('now')
  })

  it('is never started if its agent declares a step that a consumer taking the item late could not finish', () => {
    const surely_ms = whole_ms - LIMITS.consumer_fresh_ms
    expect(beginningOf({ ...times, declared_ms: surely_ms })).toBe('now')
    expect(beginningOf({ ...times, declared_ms: surely_ms + 1 })).toBe('never')
    expect(beginningOf({ ...times, declared_ms: surely_ms + 1, cuts: 0 })).toBe('never')
  })

  it('is started even if a recorded step was too long, unless a later step was cut off too', () => {
    const long = { ...times, recorded_ms: 100_000 }
    expect(beginningOf(long)).toBe('now')
    expect(beginningOf({ ...long, left_ms: 45_000 })).toBe('next')
    expect(beginningOf({ ...long, left_ms: 45_000, cuts: 0 })).toBe('now')
    expect(beginningOf({ ...long, cuts: 1 })).toBe('never')
    expect(beginningOf({ ...times, recorded_ms: whole_ms - 1, cuts: 1 })).toBe('now')
  })
})

describe('the deployer of an agent', () => {
  const BASE = 'https://assay.test'
  const of = (
    kind: 'bundle' | 'url',
    declaration: { timeout_seconds?: number; step_seconds?: number; answers_later?: boolean },
    base_url = BASE,
  ) => timeWarnings({ kind, declaration }, LIMITS.consume_ms, base_url)[0]

  it('is warned that a step may outlast a consumer, and says what to set [deployments.time-warning]', () => {
    expect(of('bundle', {})).toEqual({
      code: 'step_outlasts_consumer',
      message:
        "A step of this agent may take 300 s (the time of an item, unless timeout_seconds is declared), and this installation's consumers have 50 s. A step that takes longer is cut off, made once more, and then its item ends as step_outlasts_consumer.",
      hint: 'Run the agent behind a URL, where serve(Agent) answers later. If no step takes longer than 46 s, declare that: step_seconds, stepSeconds of @agent.',
    })
    expect(of('bundle', { timeout_seconds: 120 })!.hint).toMatch(
      /^Give consumers 124 s .*ASSAY_CONSUME_SECONDS/,
    )
    const known = of('bundle', { step_seconds: 60, timeout_seconds: 300 })!
    expect(known.message).toContain('may take 60 s (step_seconds)')
    expect(known.message).toContain('end as step_outlasts_consumer before they are started')
    expect(known.hint).not.toContain('step_seconds')
  })

  it('is warned about an agent behind a URL unless it answers later and BASE_URL is set [deployments.time-warning]', () => {
    expect(of('url', {})!.hint).toContain('Let the agent answer later, as serve(Agent) does')
    expect(of('url', { answers_later: true })).toBeUndefined()
    expect(of('url', { step_seconds: 60 })!.message).toContain('before they are started')
    expect(of('url', { answers_later: true }, '')!.hint).toContain('Set BASE_URL')
  })

  it('is not warned if all steps fit, or if consumers stay up [deployments.time-warning]', () => {
    expect(of('bundle', { timeout_seconds: 46 })).toBeUndefined()
    expect(of('bundle', { timeout_seconds: 300, step_seconds: 20 })).toBeUndefined()
    expect(timeWarnings({ kind: 'bundle', declaration: {} }, undefined, BASE)).toEqual([])
  })
})
