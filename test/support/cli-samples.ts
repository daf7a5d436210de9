// Sample records for tests of how they are displayed.

import type { ItemRecord, Run, RunItem, Schemas, Step } from '../../shared/cli/api.ts'
import type { Screen } from '../../shared/cli/output.ts'

const ID = '01a1fab9-81a7-7eca-a25c-32a5'

export const screen = (columns: number): Screen => ({ columns, paint: (_, text) => text, program: 'assay' })

export function sampleRun(values: Partial<Run> = {}): Run {
  return {
    id: `${ID}00000000`,
    project_id: ID,
    agent_id: ID,
    agent_slug: 'ticket-triage',
    deployment_version: 1,
    name: 'night',
    tags: [],
    status: 'running',
    worst_outcome_status: null,
    stop_reason: null,
    pilot_items: null,
    total_items: 100,
    queued: 100,
    running: 0,
    paused: 0,
    completed: 0,
    degraded_count: 0,
    failed: 0,
    budget_exceeded_count: 0,
    cancelled: 0,
    undecided_count: 0,
    left_over_count: 0,
    recovered_count: 0,
    budget_cents: null,
    model_calls: 'recorded',
    budget_enforced: null,
    budget_gap: null,
    aggregate_cost_cents: 0,
    cost_usd: 0,
    unpriced_item_count: 0,
    prices_as_of: '2026-01-01',
    model_call_count: 0,
    unread_call_count: 0,
    suspected_call_count: 0,
    failed_checks: null,
    total_input_tokens: 0,
    total_output_tokens: 0,
    concurrency: null,
    timeout_seconds: null,
    patience_seconds: null,
    callback_url: null,
    replay_of: null,
    unchanged_count: 0,
    resent_item_count: 0,
    resend_count: 0,
    waits_for_money: false,
    waits_for: null,
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: '2026-01-01T00:00:01.000Z',
    finished_at: null,
    steps_purged_at: null,
    payloads_purged_at: null,
    ...values,
  }
}

const common = {
  id: `${ID}00000001`,
  run_id: `${ID}00000000`,
  item_id: 'T-1',
  partition_key: 'north',
  line: 1,
  status: 'completed',
  outcome_reason: null,
  degraded_reason: null,
  error_code: null,
  error_message: null,
  code_version: null,
  attempt: 1,
  step_count: 1,
  total_cost_cents: 0,
  cost_usd: 0.0012,
  unpriced: false,
  model_call_count: 1,
  unread_call_count: 0,
  suspected_call_count: 0,
  total_input_tokens: 320,
  total_output_tokens: 14,
  replayed_from: null,
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:01.000Z',
  completed_at: '2026-01-01T00:00:02.500Z',
  payloads_purged_at: null,
} as const

export function sampleItem(values: Partial<RunItem> = {}): RunItem {
  return {
    ...common,
    worst_outcome_status: 'ok',
    mended_by: null,
    corrected_outcome_status: null,
    input: { text: 'hello' },
    output: { intent: 'greeting' },
    ...values,
  }
}

export function sampleRecord(values: Partial<ItemRecord> = {}): ItemRecord {
  return {
    ...common,
    project_id: ID,
    agent_id: ID,
    agent_slug: 'ticket-triage',
    outcome_status: 'ok',
    prices_as_of: '2026-01-01',
    input_snapshot: { text: 'hello' },
    output: { intent: 'greeting' },
    ...values,
  }
}

export function sampleStep(values: Partial<Step> = {}): Step {
  return {
    run_id: `${ID}00000000`,
    record_id: `${ID}00000001`,
    item_id: 'T-1',
    step_no: 1,
    attempt: 1,
    key: 'classify',
    type: 'llm_call',
    name: 'classify',
    tool_name: null,
    model: 'gpt-5-mini',
    outcome_status: 'ok',
    outcome_reason: null,
    error_code: null,
    error_message: null,
    input_tokens: 320,
    output_tokens: 14,
    cost_cents: 0,
    cost_usd: 0.0012,
    billed: false,
    listed_cost_usd: null,
    unpriced: false,
    unread: null,
    reused: false,
    started_at: '2026-01-01T00:00:01.000Z',
    duration_ms: 312,
    input: {
      model: 'gpt-5-mini',
      messages: [
        { role: 'system', content: 'Sort.' },
        { role: 'user', content: 'hello' },
      ],
    },
    output: { choices: [{ message: { role: 'assistant', content: '{"intent":"greeting"}' } }] },
    snippet: null,
    ...values,
  }
}

export function sampleSchedule(values: Partial<Schemas['Schedule']> = {}): Schemas['Schedule'] {
  return {
    id: `${ID}00000000`,
    project_id: ID,
    agent_id: ID,
    agent_slug: 'ticket-triage',
    name: null,
    cron: '0 2 * * *',
    timezone: 'UTC',
    enabled: true,
    disabled_reason: null,
    declared: false,
    input: null,
    source: null,
    budget_cents: null,
    allow_unpriced: false,
    pilot_items: null,
    concurrency: null,
    timeout_seconds: null,
    patience_seconds: null,
    callback_url: null,
    tags: [],
    results: null,
    limits: null,
    next_fires: ['2026-01-01T02:00:00.000Z'],
    last_run_at: null,
    last_event: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...values,
  }
}
