import { describe, expect, it } from 'vitest'
import { type WhyFacts, whyNot } from './why.ts'

const admission: NonNullable<WhyFacts['admission']> = {
  stop_reason: null,
  is_suspended: false,
  is_held: false,
  has_deployment: true,
  run_concurrency: null,
  agent_concurrency: null,
  run_running: 0,
  project_concurrency: 256,
  project_running: 0,
  budget_micro: null,
  cost_micro: 0,
  ended: 1,
  item_budget_micro: null,
  credit_micro: null,
  spent_micro: 0,
  periods: [],
  pilot_left: null,
  waits_for_price: null,
}
const queued: WhyFacts = {
  status: 'queued',
  outcome: null,
  outcome_reason: null,
  held_reason: null,
  lane: null,
  started_ms_ago: null,
  step_count: 0,
  lease_left_ms: null,
  answers_later: false,
  run_status: 'running',
  due_in_ms: null,
  upstream: null,
  unavailable: null,
  paced: null,
  last_attempt: null,
  ahead: 0,
  partition: null,
  deployment_kind: 'bundle',
  admission,
}
const why = (facts: Partial<WhyFacts>) => whyNot({ ...queued, ...facts }).token
const admitting = (facts: Partial<typeof admission>) => why({ admission: { ...admission, ...facts } })

describe('why an item is not running', () => {
  it('is the first obstacle in the order in which a claim checks them', () => {
    expect(admitting({ is_suspended: true, has_deployment: false })).toBe('suspended')
    expect(admitting({ is_held: true, is_suspended: true })).toBe('held')
    expect(admitting({ has_deployment: false })).toBe('no_deployment')
    expect(admitting({ run_concurrency: 2, run_running: 2 })).toBe('run_cap')
    expect(admitting({ agent_concurrency: 2, run_running: 2 })).toBe('run_cap')
    expect(admitting({ project_running: 256 })).toBe('project_cap')
    expect(admitting({ budget_micro: 10, cost_micro: 9, run_running: 1 })).toBe('budget')
    expect(admitting({ credit_micro: 10, spent_micro: 10 })).toBe('credit')
    expect(admitting({})).toBe('next')
  })

  it('is upstream while it waits for one, before caps and money, unless all is stopped', () => {
    const shut = { host: 'api.example.com', label: 'KEY', reason: 'down', next_ms: 5000 }
    const upstream = { upstream: { ...shut, state: 'away' as const }, patience_ms: 7_200_000 }
    expect(whyNot({ ...queued, upstream })).toEqual({
      token: 'upstream',
      message:
        'Away: api.example.com (KEY) serves nobody: down. It is tried again in 5 s; the item waits until it serves, for at most 2 h.',
    })
    const full = { ...admission, project_running: 256, credit_micro: 10, spent_micro: 10 }
    expect(why({ upstream, admission: full })).toBe('upstream')
    expect(why({ upstream, admission: { ...admission, is_suspended: true } })).toBe('suspended')
    expect(why({ upstream, admission: { ...admission, is_held: true } })).toBe('held')
    expect(why({ upstream, admission: { ...admission, stop_reason: 'cancelled' } })).toBe('stopped')
    expect(whyNot({ ...queued, unavailable: 'api.example.com was away for too long' })).toEqual({
      token: 'upstream',
      message: 'It ends without being sent: api.example.com was away for too long',
    })
  })

  it('is lease_runs_out when the process that holds the item has missed a heartbeat', () => {
    const held = { ...queued, status: 'running', started_ms_ago: 60_000, step_count: 1 } as const
    expect(whyNot({ ...held, lease_left_ms: 20_000 }).token).toBe('running')
    expect(whyNot({ ...held, lease_left_ms: 5_000 })).toEqual({
      token: 'lease_runs_out',
      message:
        'The process that has it was heard of 20 s ago; if that died, the item is offered again in 6.0 s.',
    })
  })

  it('is answer_later for a running item whose agent answers later', () => {
    const later = { ...queued, status: 'running', answers_later: true, started_ms_ago: 60_000 } as const
    expect(whyNot({ ...later, lease_left_ms: 20_000 }).token).toBe('answer_later')
    expect(whyNot({ ...later, lease_left_ms: 5_000 }).message).toMatch(/^Its agent, which answers later,/)
  })

  it('is partition_share when its partition is at its cap', () => {
    expect(why({ partition: { key: 'a', running: 2, cap: 2 } })).toBe('partition_share')
    expect(why({ paced: { host: 'api.example.com', label: null, per_second: 8 } })).toBe('paced')
    expect(why({ partition: { key: 'a', running: 1, cap: 2 } })).toBe('next')
  })

  it('is a retry with its cause, or the provider’s rate limit', () => {
    const last_attempt = { code: 'agent_unreachable', message: 'connection refused' }
    expect(whyNot({ ...queued, due_in_ms: 1500, last_attempt })).toEqual({
      token: 'retry_backoff',
      message: 'The next attempt is in 1.5 s after agent_unreachable: connection refused',
    })
    const rated = { code: 'llm_call_error', message: '429 Too Many Requests' }
    expect(why({ due_in_ms: 1500, last_attempt: rated })).toBe('provider_rate')
    expect(why({ due_in_ms: 0, last_attempt })).toBe('next')
  })

  it('is the hold of a restored installation rather than a retry or credit, but not rather than a decision or a stop', () => {
    const held = { admission: { ...admission, is_held: true } }
    expect(why({ ...held, due_in_ms: 1500 })).toBe('held')
    expect(why({ ...held, status: 'paused' })).toBe('held')
    expect(why({ ...held, status: 'paused', lane: 'quarantine' })).toBe('paused_for_decision')
    expect(why({ admission: { ...held.admission, stop_reason: 'cancelled' } })).toBe('stopped')
  })

  it('is a decision, the item’s budget or credit when the item is paused', () => {
    expect(why({ status: 'paused', lane: 'quarantine' })).toBe('paused_for_decision')
    expect(why({ status: 'paused', lane: 'quarantine', outcome_reason: 'budget_exceeded' })).toBe(
      'item_budget',
    )
    expect(why({ status: 'paused' })).toBe('credit')
  })

  it('is the state of its run if that is not open, and otherwise whether the item runs or has ended', () => {
    expect(why({ run_status: 'materializing', admission: null })).toBe('materializing')
    expect(why({ run_status: 'cancelled', admission: { ...admission, stop_reason: 'cancelled' } })).toBe(
      'stopped',
    )
    expect(why({ status: 'completed', outcome: 'ok' })).toBe('ended')
    expect(why({ status: 'running', started_ms_ago: 60_000 })).toBe('running')
    const first = { ...admission, ended: 0 }
    expect(why({ status: 'running', started_ms_ago: 500, admission: first })).toBe('runtime_starting')
    expect(why({ status: 'running', started_ms_ago: 500, admission: first, deployment_kind: 'url' })).toBe(
      'running',
    )
  })
})
