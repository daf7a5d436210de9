import { expect, it } from 'vitest'
import { widthOf } from './format.ts'
import type { Overview } from './overview-view.ts'
import { overviewText } from './overview-view.ts'

const NOW = Date.parse('2026-03-02T08:00:00Z')
const screen = (columns: number) => ({ columns, paint: (_: unknown, text: string) => text, program: 'assay' })
const nothing: Overview = {
  held_since: null,
  runs: [],
  waiting: {
    dlq: { count: 0, more: false, oldest_at: null },
    quarantine: { count: 0, more: false, oldest_at: null },
  },
  causes: [],
  stopped: [],
  money: {
    today_usd: 0,
    unpriced: false,
    prices_as_of: null,
    spent_cents: 0,
    credit_cents: null,
    budgets: [],
  },
  schedules: { missed: [], next: [] },
  given_up: { count: 0, more: false, newest: null },
  alerts: [],
  items_wait: [],
  started: { agents: 1, runs: true },
}
const run = {
  id: '01a1fefe-a857-7af4-a27d-273500000000',
  name: 'nightly',
  agent_slug: 'reader',
  status: 'running',
  total_items: 800,
  queued: 700,
  running: 8,
  paused: 0,
  completed: 90,
  degraded_count: 3,
  failed: 2,
  budget_exceeded_count: 0,
  cancelled: 0,
  cost_usd: 1.5,
  unpriced_item_count: 0,
  created_at: '2026-03-02T07:58:00Z',
} as Overview['runs'][number]
const cause = { title: 'read: agent_error: it would not open', waiting: 3 } as Overview['causes'][number]
const bad: Overview = {
  ...nothing,
  runs: Array.from({ length: 9 }, () => run),
  waiting: {
    dlq: { count: 1000, more: true, oldest_at: null },
    quarantine: { count: 2, more: false, oldest_at: '2026-02-27T08:00:00Z' },
  },
  causes: Array.from({ length: 12 }, () => cause),
  money: {
    today_usd: 3.2,
    unpriced: true,
    prices_as_of: '2026-01-01',
    spent_cents: 9_000,
    credit_cents: 10_000,
    budgets: [],
  },
  given_up: {
    count: 2,
    more: false,
    newest: {
      url: 'https://example.com/hook',
      last_error: null,
      last_status: 500,
      created_at: run.created_at,
    } as NonNullable<Overview['given_up']['newest']>,
  },
  alerts: [{ message: 'A moment was missed.', created_at: run.created_at } as Overview['alerts'][number]],
  items_wait: ['out_of_credit', 'away', 'cooling'].map((state, at) => ({
    upstream: {
      host: 'api.openai.com',
      label: 'OPENAI_API_KEY',
      state,
    } as Overview['items_wait'][number]['upstream'],
    items: 1200 - at,
    more: '',
  })),
}

it('the overview says first that a restored installation is held, and how to release it', () => {
  const [first] = overviewText(
    { ...nothing, held_since: '2026-07-01T00:00:00.000Z' },
    NOW,
    screen(120),
  ).split('\n')
  expect(first).toMatch(/^held +restored .*nothing is dispatched, fired or sent +assay admin go-on$/)
})

it('the overview has three lines if nothing is wrong', () => {
  expect(overviewText(nothing, NOW, screen(80)).split('\n')).toEqual([
    'runs       none in flight',
    'to decide  nothing waits for a decision',
    'money      $0 by the runs of today',
  ])
})

it.each([60, 80, 120])(
  'an overview full of problems fits %i columns and 30 to 36 rows, and each part names the next command',
  columns => {
    const lines = overviewText(bad, NOW, screen(columns)).split('\n')
    expect(lines.filter(line => widthOf(line) > columns)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(columns < 80 ? 36 : 30)
    const text = lines.join('\n')
    for (const next of [
      'runs --state open',
      'triage',
      'causes --since 1d',
      'alerts --open',
      'deliveries --failed',
      'upstreams',
    ])
      expect(text).toMatch(new RegExp(`assay ${next}$`, 'm'))
    expect(text).toMatch(/9 in flight/)
    expect(text).toMatch(/and 5 runs more/)
    expect(text).toMatch(/1,000\+ did not work, 2 held, oldest 3d ago/)
    expect(text).toMatch(/and 8 causes more/)
    expect(text).toMatch(/^upstreams +1,200 items wait: out of credit, api\.openai\.com/m)
    expect(text).toMatch(/and 1 upstream more/)
  },
)

it('the overview marks the cost as a lower bound, and shows how much credit is spent', () => {
  expect(overviewText(bad, NOW, screen(120))).toMatch(
    /^money +≥\$3.20 by the runs of today\nprices +the list of 2026-01-01 +assay prices\ncredit +\$90.00 of \$100.00 spent +assay projects/m,
  )
})

it('the overview shows a user who has deployed nothing how to begin', () => {
  const text = overviewText({ ...nothing, started: { agents: 0, runs: false } }, NOW, screen(80))
  expect(text).toContain('assay deploy examples/ticket-triage/agent.ts')
})

it('the overview lists budgets by day and month with owner, remainder and end, the scarcest first', () => {
  const budget = { limit_cents: 500, spent_cents: 100, left_cents: 400, ends_at: '2026-03-02T23:00:00.000Z' }
  const of = { of: 'default', command: 'projects budget', timezone: 'Europe/Berlin' }
  const spent = { ...budget, period: 'day' as const, spent_cents: 500, left_cents: 0 }
  const budgets = [
    { ...budget, ...of, period: 'month' as const },
    { ...spent, ...of, of: 'triage', command: 'agents budget triage' },
  ]
  const text = overviewText({ ...nothing, money: { ...nothing.money, budgets } }, NOW, screen(120))
  const lines = text.split('\n').filter(line => line.startsWith('budget'))
  expect(lines[0]).toContain('triage, this day: $0 of $5.00 left, the next in 15h (Europe/Berlin)')
  expect(text).toContain('assay agents budget triage')
  expect(lines[1]).toContain('default, this month: $4.00 of $5.00 left')
})
