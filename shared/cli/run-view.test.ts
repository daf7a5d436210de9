import { describe, expect, it } from 'vitest'
import { sampleItem, sampleRun, screen } from '../../test/support/cli-samples.ts'
import { LIMITS } from '../kernel/limits.ts'
import { failureRuleOf } from '../view/worked-share.ts'
import type { Verification } from './api.ts'
import { widthOf } from './format.ts'
import type { Screen } from './output.ts'
import { itemsTable, runSummary, runsTable, uncountedText, verificationText } from './run-view.ts'

const NOW = Date.parse('2026-01-01T02:00:00.000Z')
const runs = [
  sampleRun({
    status: 'partial',
    worst_outcome_status: 'degraded',
    completed: 100,
    degraded_count: 7,
    cost_usd: 0.5,
  }),
  sampleRun({
    name: 'a name that goes on and on and on, for far longer than a terminal is wide',
    total_items: 12_345,
  }),
]
const items = [
  sampleItem(),
  sampleItem({
    item_id: 'an-identifier-that-is-a-good-deal-longer-than-most-of-them',
    worst_outcome_status: 'failed',
    status: 'failed',
    error_code: 'agent_error',
    error_message:
      'something went wrong in a way that takes a whole line to describe, and then some more of it',
  }),
]
const widest = (text: string) => Math.max(...text.split('\n').map(widthOf))

describe('tables', () => {
  it.each([80, 100, 120, 200])('fit %i columns and show ids in full', columns => {
    const texts = [runsTable(runs, NOW, screen(columns)), itemsTable(items, screen(columns))]
    for (const text of texts) expect(widest(text), text).toBeLessThanOrEqual(columns)
    expect(texts[0]!.match(new RegExp(runs[0]!.id, 'g'))).toHaveLength(2)
    expect(texts[1]!.match(new RegExp(items[0]!.id, 'g'))).toHaveLength(2)
  })

  it('show at 80 columns whether an item ran, whether it worked, and why not', () => {
    const text = itemsTable([sampleItem({ ...items[1]!, item_id: 'T-2' })], screen(80))
    const [head, below, row, ...why] = text.split('\n')
    expect([head, below]).toEqual([expect.stringMatching(/^ID +ITEM +RAN +WORKED$/), '  DETAIL'])
    expect(row).toMatch(/T-2 +failed +failed$/)
    expect(why.map(line => line.trim()).join(' ')).toBe(`agent_error: ${items[1]!.error_message}`)
  })

  it.each([80, 100, 160])('distinguish items with other reasons at %i columns', columns => {
    const item = (item_id: string, outcome_reason: string, degraded_reason: string) =>
      sampleItem({ item_id, outcome_reason, degraded_reason, worst_outcome_status: 'degraded' })
    const text = itemsTable(
      [
        item('T-1003', 'refusal', 'The last model call (classify) is a refusal.'),
        item('T-1039', 'empty_output', 'The last model call (classify) has neither text nor tool calls.'),
        item('T-1050', 'agent_degraded', 'low confidence (0.19) in other'),
      ],
      screen(columns),
    )
    for (const why of ['refusal: The last', 'empty_output: The', 'low confidence (0.19) in'])
      expect(text).toContain(why)
  })

  it.each([80, 100, 160])('never cut the path of a mismatch at %i columns', columns => {
    const path = 'output.pages[17].positions[3].amount_in_the_original_currency'
    const item = sampleItem({
      item_id: 'a-long-id-of-a-page-of-a-letter',
      worst_outcome_status: 'degraded',
      outcome_reason: 'schema_mismatch',
      degraded_reason: `The output does not match its schema: ${path}: must be a number, not a string; ${'and more '.repeat(9)}`,
    })
    expect(itemsTable([item], screen(columns))).toContain(`${path}:`)
    const input = sampleItem({
      ...item,
      error_code: 'invalid_input',
      error_message: `${path}: must be a number, ${'and '.repeat(40)}`,
    })
    expect(itemsTable([input], screen(columns))).toContain(`${path}:`)
  })

  it('show how many calls of an item could not be read', () => {
    const unread = sampleItem({ item_id: 'T-2', unread_call_count: 2 })
    expect(itemsTable([sampleItem(), unread], screen(120))).toMatch(/UNREAD.*\n.*\n.*T-2 .* 2 calls /)
  })

  it('show the verdict of a replay that fixed the item', () => {
    const recovered = sampleItem({ ...items[1]!, item_id: 'T-2', mended_by: items[0]!.id })
    expect(itemsTable([recovered], screen(120))).toMatch(/T-2 .*failed +failed → ok /)
  })

  it('show the verdict that people gave an item instead of the recorded one', () => {
    const corrected = sampleItem({
      item_id: 'T-2',
      worst_outcome_status: 'degraded',
      corrected_outcome_status: 'ok',
    })
    expect(itemsTable([corrected], screen(120))).toMatch(/T-2 .* degraded → ok /)
  })

  it('also show partition, cost and age at 120 columns', () => {
    expect(itemsTable(items, screen(120)).split('\n')[0]).toMatch(
      /ITEM +PARTITION +RAN +WORKED +COST +DETAIL/,
    )
    expect(runsTable(runs, NOW, screen(120)).split('\n')[1]).toMatch(
      /night +ticket-triage +partial +\d+ % ok +100 +7 +\$0\.50 +2h ago$/,
    )
  })

  it('align columns by their visible width', () => {
    const [, first, second] = itemsTable([sampleItem({ item_id: '你好' }), sampleItem()], screen(120)).split(
      '\n',
    )
    expect(widthOf(first!.split('north')[0]!)).toBe(widthOf(second!.split('north')[0]!))
  })

  it('let no item move the cursor or change colours', () => {
    const text = itemsTable(
      [sampleItem({ item_id: 'a\x1b[2Jb\u009b31m\nc\u202ed', output: '\x1b]0;x\x07' })],
      screen(120),
    )
    expect(text.replaceAll('\n', '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
    expect(text.split('\n')).toHaveLength(2)
  })
})

describe('the summary of a run', () => {
  it('says whether it ran, whether it worked, what it cost and what is open', () => {
    const run = sampleRun({
      status: 'partial',
      completed: 97,
      degraded_count: 2,
      failed: 3,
      queued: 0,
      undecided_count: 5,
      cost_usd: 0.0123,
      unpriced_item_count: 1,
      total_input_tokens: 1500,
      total_output_tokens: 20,
      finished_at: '2026-01-01T00:01:31.000Z',
    })
    expect(runSummary(run, screen(120)).split('\n')).toEqual([
      `run     ${run.id}  night`,
      'ran: all · worked: 95 ok, 2 degraded, 3 failed · 5 to decide',
      'status  partial, 100 items in 1:30',
      'cost    ≥$0.0123 · 1,500 tokens in · 20 out · 1 item made a call whose cost is not known · list prices of 2026-01-01',
      `open    5 items wait for a decision: assay triage --run ${run.id}`,
    ])
  })

  it('of which every replay failed too says that, and where the reasons are', () => {
    const replay_run_id = '01a22212-b4d9-7a6d-bfcb-d60500000000'
    const ended = { completed: 100, queued: 0, finished_at: '2026-01-01T00:01:31.000Z' }
    const run = sampleRun({ ...ended, degraded_count: 3, replay_count: 3, replay_run_id })
    expect(runSummary(run, screen(120)).split('\n')).toEqual(
      expect.arrayContaining([
        'ran: all · worked: 97 ok, 3 degraded · replayed since: none of 3 replays worked, so 3 not ok still',
        `again   3 of 3 replays that ended did not work: assay causes --run ${replay_run_id}`,
      ]),
    )
    expect(runSummary(sampleRun({ ...run, recovered_count: 3 }), screen(120))).not.toContain('again ')
  })

  it.each([
    [
      'just after a recovery of all began',
      { failed: 405, completed: 95, total_items: 500, replay_count: 3, recovered_count: 3 },
      undefined,
    ],
    [
      'while most replays go on',
      { failed: 405, completed: 95, total_items: 500, replay_count: 3, recovered_count: 1 },
      '2 of 3 replays that ended did not work',
    ],
    [
      'where all but one were dismissed',
      { failed: 100, completed: 0, replay_count: 1, recovered_count: 0 },
      '1 of 1 replay that ended did not work',
    ],
    [
      'where nothing was replayed yet',
      { failed: 100, completed: 0, replay_count: 0, recovered_count: 0 },
      undefined,
    ],
  ])('counts the replays that did not work, and no item that was not replayed: %s', (_, counts, said) => {
    const replay_run_id = '01a22212-b4d9-7a6d-bfcb-d60500000000'
    const ended = { queued: 0, finished_at: '2026-01-01T00:01:31.000Z', undecided_count: 0 }
    const text = runSummary(sampleRun({ ...ended, ...counts, replay_run_id }), screen(120))
    expect(text.split('\n').filter(line => line.startsWith('again'))).toEqual(
      said === undefined ? [] : [`again   ${said}: assay causes --run ${replay_run_id}`],
    )
  })

  it('colours the share by the alert rule of its project and agent', () => {
    const counts = {
      total_items: 100,
      completed: 86,
      failed: 14,
      queued: 0,
      finished_at: '2026-01-01T00:01:31.000Z',
    }
    const run = sampleRun(counts)
    const paint = (style: string | undefined, text: string) => `${style ?? ''}<${text}>`
    const shown = (share?: number) => {
      const set = {
        rule: 'failure_share',
        agent_id: run.agent_id,
        enabled: true,
        bounds: { share: share! },
      } as const
      const rules = failureRuleOf(share === undefined ? [] : [set])
      return runsTable([run], NOW, { ...screen(200), paint } as Screen, () => rules)
    }
    expect(shown()).toContain('yellow<86 % ok')
    expect(shown(0.1)).toContain('red<86 % ok')
  })

  it('counts graded, unread, suspected and unpriced calls separately, and says what to do about each', () => {
    const run = sampleRun({
      completed: 100,
      queued: 0,
      model_call_count: 14,
      unread_call_count: 2,
      suspected_call_count: 1,
      unpriced_item_count: 3,
    })
    const text = runSummary(run, screen(120))
    expect(text).toContain('worked: 100 ok · graded 12 of 14 calls · 1 call suspected')
    expect(text).toContain('3 items made a call whose cost is not known')
    expect(text).toContain(
      `suspect 1 call may be a refusal: assay search --reason suspected_refusal --run ${run.id}`,
    )
    const failures = {
      looked_at: 0,
      is_complete: true,
      reasons: [],
      clusters: [],
      partitions: [],
      unread: [
        {
          found: 'The output is no answer that is known: an object with "says".',
          calls: 2,
          record_id: run.id,
        },
      ],
      unpriced: [
        { model: 'llama3.1', calls: 2, record_id: run.id },
        { model: null, calls: 1, record_id: run.id },
      ],
    }
    expect(uncountedText(run, failures, screen(140)).split('\n')).toEqual([
      `unread  2 calls: The output is no answer that is known: an object with "says"., such as ${run.id}`,
      '        nobody knows whether these worked; read of ctx.llm says what such an answer came to',
      'price   none is known of llama3.1 (2 calls), no name (1 call); assay prices check',
    ])
  })

  it('explains for a long run why unread and unpriced calls are not named', () => {
    const counts = { unread_call_count: 2, unpriced_item_count: 3 }
    const later = sampleRun({ ...counts, total_items: LIMITS.failures_looked_through + 1 })
    const none = { unread: [], unpriced: [] }
    expect(uncountedText(later, none, screen(120)).split('\n')).toEqual([
      'unread  2 calls: none is among the first 20,000 items, where they are looked for',
      'price   none is known of calls of 3 items: none is among the first 20,000 items, where they are looked for',
    ])
    const short = sampleRun({ ...counts, total_items: LIMITS.failures_looked_through })
    expect(uncountedText(short, none, screen(120))).toBe('')
  })

  it('shows how many items were sent again because of others', () => {
    const run = sampleRun({ resent_item_count: 59, resend_count: 118 })
    expect(runSummary(run, screen(400))).toContain('resent  59 items were sent again, 118 times in all')
    expect(runSummary(sampleRun(), screen(120))).not.toContain('resent')
  })

  it('shows the findings of run checks', () => {
    const message = 'an item costs 2.3 times what it did in the run before'
    const found = {
      check: 'cost_jump',
      message,
      value: 0.02,
      before: 0.01,
      before_run_id: null,
      record_id: null,
    } as const
    expect(runSummary(sampleRun({ failed_checks: [found] }), screen(120))).toContain(`noticed ${message}`)
  })

  it('shows a run whose remaining items are all held as waiting for a decision', () => {
    const held = sampleRun({ total_items: 61, completed: 59, queued: 0, paused: 2 })
    expect(runSummary(held, screen(120))).toContain(
      'ran: 59 of 61 (2 held) · worked: 59 ok · 2 to decide\nstatus  waits for a decision',
    )
  })

  it('shows a run whose remaining items go on once there is money as waiting for money', () => {
    const paused = sampleRun({ total_items: 61, completed: 59, queued: 0, paused: 2, waits_for_money: true })
    const summary = runSummary(paused, screen(120))
    expect(summary).toContain('status  waits for money')
    expect(summary).not.toMatch(/decide|decision/)
  })

  it('counts items over budget apart from failed ones', () => {
    const values = { total_items: 61, failed: 61, budget_exceeded_count: 60, queued: 0 }
    const broke = sampleRun({ ...values, status: 'budget_exceeded', budget_cents: 1 })
    expect(runSummary(broke, screen(120))).toContain('ran: 1 of 61 (60 over budget) · worked: 0 ok, 1 failed')
  })

  it('says that a run is in its pilot', () => {
    expect(runSummary(sampleRun({ pilot_items: 5 }), screen(120))).toMatch(
      /^pilot +In its pilot: 5 of 100 items go first, the others when one of these was ok\.$/m,
    )
  })

  it('says why a run stopped early', () => {
    const broke = sampleRun({ status: 'budget_exceeded', stop_reason: 'budget_exceeded', budget_cents: 150 })
    expect(runSummary(broke, screen(120))).toContain('$1.50 was reached')
    const stopped = sampleRun({ status: 'failed', stop_reason: 'consecutive_failures' })
    expect(runSummary(stopped, screen(120))).toContain('too many items failed in a row')
  })
})

describe('a verification', () => {
  const counts = {
    ok: 3,
    degraded: 1,
    failed: 0,
    budget_exceeded: 0,
    cancelled: 0,
    paused: 0,
    queued: 0,
    running: 0,
  }
  const totals = {
    items: 4,
    input_tokens: 10,
    output_tokens: 2,
    unpriced_items: 0,
    model_calls: 4,
    unread_calls: 1,
    suspected_calls: 0,
    undecided: 1,
  }
  const balanced: Verification = {
    run_id: sampleRun().id,
    total_items: 4,
    counted: counts,
    counters: counts,
    totals: { counted: totals, counters: totals },
    cost_micro: { counter: 900, recount_items: 900, recount_steps: 900 },
    budgets: [],
    double_verdicts: 0,
    balanced: true,
    differences: [],
  }

  it('shows every sum next to its recount', () => {
    const lines = verificationText(balanced, screen(80)).split('\n')
    for (const name of Object.keys(counts)) expect(lines.some(line => line.startsWith(`${name} `))).toBe(true)
    expect(lines.find(line => line.startsWith('sum of these'))).toMatch(/4 +4$/)
    expect(lines.find(line => line.startsWith('cost_micro, steps'))).toMatch(/900 +900$/)
    expect(lines.at(-1)).toMatch(/^balanced: /)
  })

  it('marks and names every difference', () => {
    const wrong = {
      ...balanced,
      counted: { ...counts, ok: 2 },
      balanced: false,
      differences: ['ok: the run says 3, a recount 2'],
    }
    const text = verificationText(wrong, screen(80))
    expect(text).toMatch(/^ok +3 +2 +≠ differs$/m)
    expect(text).toMatch(/NOT balanced: 1 difference\n {2}ok: the run says 3, a recount 2$/)
  })
})
