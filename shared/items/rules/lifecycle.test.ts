import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ITEM_STATUSES,
  type ItemStatus,
  type RunStatus,
  STOP_REASONS,
  type StopReason,
} from '../vocabulary.ts'
import {
  canBeCancelled,
  effectOf,
  FIRST_STATUS,
  ITEM_TRANSITIONS,
  type ItemEvent,
  isDrained,
  isFinal,
  queuedOf,
  type RunCounts,
  runStatus,
  transitionOf,
  worstOutcome,
} from './lifecycle.ts'

const counts = (some: Partial<RunCounts>): RunCounts => ({
  started: false,
  stop_reason: null,
  total_items: 0,
  running: 0,
  ok: 0,
  degraded: 0,
  failed: 0,
  budget_exceeded: 0,
  cancelled: 0,
  paused: 0,
  undecided: 0,
  ...some,
})

describe('item transitions', () => {
  it('have each event once', () => {
    expect(new Set(ITEM_TRANSITIONS.map(t => t.event)).size).toBe(ITEM_TRANSITIONS.length)
  })

  it('move an item from counter to counter, and count items that need a decision', () => {
    expect(effectOf('claim')).toEqual({ running: 1 })
    expect(effectOf('complete')).toEqual({ running: -1, ok: 1 })
    expect(effectOf('degrade')).toEqual({ running: -1, degraded: 1, undecided: 1 })
    expect(effectOf('skip')).toEqual({ budget_exceeded: 1, undecided: 1 })
    expect(effectOf('dismiss')).toEqual({ paused: -1, cancelled: 1 })
    expect(effectOf('decide')).toEqual({ undecided: -1 })
  })

  it('reach every status from queued, and never leave a final one', () => {
    const reached = new Set<ItemStatus>([FIRST_STATUS])
    for (let size = 0; size !== reached.size; ) {
      size = reached.size
      for (const { from, to } of ITEM_TRANSITIONS) if (reached.has(from)) reached.add(to)
    }
    expect([...reached].sort()).toEqual([...ITEM_STATUSES].sort())
    expect(ITEM_STATUSES.filter(status => !isFinal(status)).sort()).toEqual(['paused', 'queued', 'running'])
  })
})

describe('the status of a run [lifecycle.materializing, lifecycle.queued, lifecycle.running, lifecycle.completed, lifecycle.partial, lifecycle.failed, lifecycle.cancelled, lifecycle.budget]', () => {
  const cases: [string, Partial<RunCounts>, RunStatus][] = [
    ['materializing while its items are inserted', { materializing: true, total_items: 3 }, 'materializing'],
    ['queued while no item was claimed', { total_items: 3 }, 'queued'],
    ['running once an item is executing', { total_items: 3, started: true, running: 1 }, 'running'],
    ['running between items', { total_items: 3, ok: 1 }, 'running'],
    ['running while an item waits for a person', { total_items: 2, ok: 1, paused: 1 }, 'running'],
    ['queued again after its only item was requeued', { total_items: 1 }, 'queued'],
    ['running after one item of two was cancelled', { total_items: 2, cancelled: 1 }, 'running'],
    ['completed when empty', {}, 'completed'],
    ['completed when all items are ok', { total_items: 3, ok: 3 }, 'completed'],
    [
      'completed when all items are ok except a cancelled one',
      { total_items: 3, ok: 2, cancelled: 1 },
      'completed',
    ],
    ['completed when every item was cancelled on its own', { total_items: 2, cancelled: 2 }, 'completed'],
    ['partial with a degraded item', { total_items: 3, ok: 2, degraded: 1, undecided: 1 }, 'partial'],
    ['partial with a failed item', { total_items: 3, ok: 2, failed: 1, undecided: 1 }, 'partial'],
    ['partial when all items are degraded', { total_items: 2, degraded: 2, undecided: 2 }, 'partial'],
    ['completed when the last item is decided', { total_items: 3, ok: 2, failed: 1 }, 'completed'],
    [
      'failed when all items failed',
      { total_items: 3, failed: 2, budget_exceeded: 1, undecided: 3 },
      'failed',
    ],
    ['failed when all items failed, decided or not', { total_items: 2, failed: 2 }, 'failed'],
    [
      'partial when all items failed except a cancelled one',
      { total_items: 2, failed: 1, cancelled: 1, undecided: 1 },
      'partial',
    ],
    [
      'cancelled as soon as it is stopped',
      { total_items: 5, running: 2, stop_reason: 'cancelled' },
      'cancelled',
    ],
    [
      'cancelled when all its items are cancelled',
      { total_items: 2, ok: 1, cancelled: 1, stop_reason: 'cancelled' },
      'cancelled',
    ],
    [
      'budget_exceeded as soon as it is stopped',
      { total_items: 5, running: 2, stop_reason: 'budget_exceeded' },
      'budget_exceeded',
    ],
    [
      'failed when too many items failed in a row',
      { total_items: 9, failed: 3, stop_reason: 'consecutive_failures' },
      'failed',
    ],
  ]
  it.each(cases)('is %s', (_, some, status) => {
    expect(runStatus(counts(some))).toBe(status)
  })
})

it('a run is drained when no item is queued, running or paused; being stopped is not enough', () => {
  expect(isDrained(counts({ total_items: 2, ok: 1, cancelled: 1 }))).toBe(true)
  expect(isDrained(counts({ total_items: 2, ok: 1, stop_reason: 'cancelled' }))).toBe(false)
  expect(isDrained(counts({ total_items: 2, ok: 1, running: 1 }))).toBe(false)
  expect(isDrained(counts({ total_items: 2, ok: 1, paused: 1 }))).toBe(false)
})

it('the worst outcome is that of the worst item with a verdict [runs.worst-outcome]', () => {
  expect(worstOutcome(counts({ total_items: 3, cancelled: 1 }))).toBeNull()
  expect(worstOutcome(counts({ total_items: 3, ok: 1 }))).toBe('ok')
  expect(worstOutcome(counts({ total_items: 3, ok: 1, degraded: 1 }))).toBe('degraded')
  expect(worstOutcome(counts({ total_items: 3, degraded: 1, failed: 1 }))).toBe('failed')
  expect(worstOutcome(counts({ total_items: 3, degraded: 1, budget_exceeded: 1 }))).toBe('failed')
})

/** A run as a list of items, which accepts the events that the engine would allow. */
class Walk {
  readonly items: { status: ItemStatus; degraded: boolean; decided: boolean }[]
  /** Counters that change as the table says for each event. */
  readonly kept: Record<string, number> = {}
  materializing = true
  started = false
  stop_reason: StopReason | null = null

  constructor(total: number) {
    this.items = Array.from({ length: total }, () => ({ status: 'queued', degraded: false, decided: false }))
  }

  happen(event: ItemEvent, index: number): void {
    const item = this.items[index]
    if (item === undefined || this.materializing) return
    if (event === 'claim' && this.stop_reason !== null) return
    const { from, to } = transitionOf(event)
    if (item.status !== from) return
    item.status = to
    this.#count(event)
    if (event === 'claim') this.started = true
    item.degraded = event === 'degrade'
  }

  decide(index: number): void {
    const item = this.items[index]
    if (item === undefined || item.decided) return
    if (item.status === 'failed' || item.status === 'budget_exceeded' || item.degraded) this.#count('decide')
    else return
    item.decided = true
  }

  #count(event: Parameters<typeof effectOf>[0]): void {
    for (const [counter, change] of Object.entries(effectOf(event)))
      this.kept[counter] = (this.kept[counter] ?? 0) + change
  }

  counts(): RunCounts {
    const of = (status: ItemStatus) => this.items.filter(item => item.status === status)
    const completed = of('completed')
    const notOk = [...of('failed'), ...of('budget_exceeded'), ...completed.filter(item => item.degraded)]
    return {
      materializing: this.materializing,
      started: this.started,
      stop_reason: this.stop_reason,
      total_items: this.items.length,
      running: of('running').length,
      ok: completed.filter(item => !item.degraded).length,
      degraded: completed.filter(item => item.degraded).length,
      failed: of('failed').length,
      budget_exceeded: of('budget_exceeded').length,
      cancelled: of('cancelled').length,
      paused: of('paused').length,
      undecided: notOk.filter(item => !item.decided).length,
    }
  }
}

/** The statuses that a run may reach in one event. A run whose items never ran may drain out of `queued`. */
const SUCCESSORS: Record<RunStatus, readonly RunStatus[]> = {
  materializing: ['queued', 'completed', 'cancelled'],
  queued: ['running', 'completed', 'failed', 'cancelled', 'budget_exceeded'],
  running: ['completed', 'partial', 'failed', 'cancelled', 'budget_exceeded'],
  partial: ['completed'],
  completed: [],
  failed: [],
  cancelled: [],
  budget_exceeded: [],
}

describe('whatever happens to the items of a run', () => {
  const events = ITEM_TRANSITIONS.map(t => t.event)
  const likely: ItemEvent[] = ['claim', 'claim', 'claim', 'complete', 'complete', 'fail']
  const action = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.tuple(fc.constantFrom(...events, ...likely), fc.nat({ max: 3 })),
    },
    { weight: 3, arbitrary: fc.tuple(fc.constant('decide' as const), fc.nat({ max: 3 })) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('stop' as const), fc.constantFrom(...STOP_REASONS)) },
  )

  function act(walk: Walk, [what, which]: [string, number | string]): void {
    if (what === 'stop') {
      if (!isDrained(walk.counts()) && !walk.materializing) walk.stop_reason ??= which as StopReason
    } else if (what === 'decide') walk.decide(which as number)
    else walk.happen(what as ItemEvent, which as number)
  }

  it('its counters add up to its total, and its status moves only forward', () => {
    const visited = new Set<RunStatus>()
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.array(action, { maxLength: 60 }), (total, actions) => {
        const walk = new Walk(total)
        let status = runStatus(walk.counts())
        expect(status).toBe('materializing')
        for (const step of [null, ...actions]) {
          if (step === null) walk.materializing = false
          else act(walk, step)
          const now = walk.counts()
          expect(now).toMatchObject(walk.kept)
          expect(queuedOf(now)).toBe(walk.items.filter(item => item.status === 'queued').length)
          const next = runStatus(now)
          if (next !== status) expect(SUCCESSORS[status]).toContain(next)
          if (next === 'queued') expect(queuedOf(now) + now.paused).toBe(total)
          if (next === 'partial' || next === 'completed') expect(isDrained(now)).toBe(true)
          visited.add(next)
          status = next
        }
      }),
      { numRuns: 2000 },
    )
    expect(visited.size).toBe(7)
  })
})

it.each([
  ['materializing', 0, null, false],
  ['queued', 0, null, true],
  ['running', 1, null, true],
  // It stopped by itself, and held items keep it open.
  ['failed', 0, null, true],
  ['budget_exceeded', 2, null, true],
  ['cancelled', 2, null, true],
  ['cancelled', 0, null, false],
  ['completed', 0, '2026-01-01T00:00:00Z', false],
])(
  'a run that is %s with %i items in flight, ended %s, can be cancelled: %s',
  (status, running, finished_at, can) => {
    expect(canBeCancelled({ status, running, finished_at })).toBe(can)
  },
)
