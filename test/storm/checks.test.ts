// The storm's own checks: each finds its kind of breach.

import { expect, it } from 'vitest'
import { checkAnswers, checkEntries, checkItems } from './checks.ts'
import { closedWrongly } from './closures.ts'
import { FAULTS, UPSTREAM_FAULTS } from './faults.ts'
import { type Entry, itemNameOf } from './ledger.ts'
import { FAULTS_PER_ROUND, planOf, UPSTREAM_FAULTS_PER_ROUND } from './nemesis.ts'
import { doingOf, inputOf, OUTCOMES, outputOf, STEP_COST_MICRO } from './payloads.ts'
import type { ItemRow, RunSeen } from './snapshot.ts'

const URL_AGENT = 'by url'
const entry: Entry = { name: 'sent', round: 1, items: 40, state: 'accepted', run_ids: new Set(['run 1']) }

function itemRow(name: string): ItemRow {
  const doing = doingOf(name)
  const outcome = OUTCOMES[doing]
  return {
    run_id: 'run 1',
    name,
    outcome,
    status: outcome === 'failed' ? 'failed' : 'completed',
    input: inputOf(name),
    output: doing === 'fail' ? null : outputOf(inputOf(name)),
    cost_micro: doing === 'step' ? STEP_COST_MICRO : 0,
    agent_failures: 0,
  }
}

const runRow = (id = 'run 1'): RunSeen => ({
  id,
  name: entry.name,
  agent_id: URL_AGENT,
  status: 'partial',
  total_items: entry.items,
  is_replay: false,
  items: Array.from({ length: entry.items }, (_, i) => itemRow(itemNameOf(entry, i + 1))),
})

it('a run whose items are all as expected is no breach', () => {
  expect(checkEntries([entry], [runRow()])).toEqual([])
  expect(checkItems([runRow()], new Set(), URL_AGENT)).toEqual([])
})

it.for<[what: string, entry: Entry, runs: RunSeen[], expected: RegExp]>([
  ['a lost run', entry, [], /run 1 was acknowledged and is lost/],
  ['a lost item', entry, [{ ...runRow(), items: runRow().items.slice(1) }], /39 of 40 items/],
  ['a run that was started twice', entry, [runRow(), runRow('run 2')], /started 2 runs/],
  [
    'a run of a refused submission',
    { ...entry, state: 'refused' },
    [runRow()],
    /was refused and started 1 runs/,
  ],
  [
    'half of a run whose submission got no answer',
    { ...entry, state: 'uncertain', run_ids: new Set() },
    [{ ...runRow(), total_items: 20 }],
    /20 by its run/,
  ],
  [
    'another run under the same key',
    { ...entry, run_ids: new Set(['run 1', 'run 2']) },
    [runRow(), runRow('run 2')],
    /2 runs under one key/,
  ],
])('%s is reported', ([, given, runs, expected]) => {
  expect(checkEntries([given], runs)).toEqual(expect.arrayContaining([expect.stringMatching(expected)]))
})

it.for<[what: string, change: (item: ItemRow) => Partial<ItemRow>, expected: RegExp]>([
  ['another spelling of an input', ({ input }) => ({ input: input.replace('1E+2', '100') }), /is kept as/],
  ['another spelling of an output', ({ output }) => ({ output: `${output} ` }), /has the output/],
  ['another verdict', () => ({ outcome: 'degraded' }), /is completed, degraded/],
  ['an item of a run that nobody cancelled', () => ({ status: 'cancelled', outcome: null }), /is cancelled/],
  ['a failure that is counted', () => ({ agent_failures: 1 }), /used 1 declared retries/],
  ['a step that was paid for twice', () => ({ cost_micro: 2 * STEP_COST_MICRO }), /cost 7000/],
])('%s is a breach', ([, change, expected]) => {
  const run = runRow()
  const at = run.items.findIndex(item => doingOf(item.name) === 'step')
  const items = run.items.map((item, i) => (i === at ? { ...item, ...change(item) } : item))
  expect(checkItems([{ ...run, items }], new Set(), URL_AGENT)).toEqual([expect.stringMatching(expected)])
})

it('a failure is reported unless PostgreSQL was in trouble and the answer says so', () => {
  const trouble = [{ from: 10_000, to: 20_000 }]
  const failure = { from: 12_000, to: 13_000, what: 'POST /v1/runs', status: 500, code: 'store_unreachable' }
  expect(checkAnswers([failure], trouble)).toEqual([])
  expect(checkAnswers([{ ...failure, code: 'internal' }], trouble)).toHaveLength(1)
  expect(checkAnswers([{ ...failure, from: 60_000, to: 61_000 }], trouble)).toHaveLength(1)
  expect(checkAnswers([{ ...failure, status: 401, code: 'unauthenticated' }], trouble)).toHaveLength(1)
})

it('an upstream that is closed while no fault strikes it is closed wrongly', () => {
  const struck = { agent: [{ from: 10_000, to: 12_000 }], credential: [] }
  const agent = (at_ms: number) => ({ kind: 'agent' as const, at_ms })
  expect(closedWrongly([agent(10_500), agent(14_000)], struck)).toEqual([])
  const wrong = [agent(9000), agent(16_000), { kind: 'credential' as const, at_ms: 11_000 }]
  expect(closedWrongly(wrong, struck)).toEqual(wrong)
})

it('a seed determines which faults strike when, another seed gives other strikes, and ten rounds include every fault', () => {
  const plans = (seed: number) => Array.from({ length: 10 }, (_, i) => planOf(seed, i + 1, 12_000))
  expect(plans(7)).toEqual(plans(7))
  expect(plans(7)).not.toEqual(plans(8))
  const met = plans(7).flat()
  expect(met).toHaveLength(10 * (FAULTS_PER_ROUND + UPSTREAM_FAULTS_PER_ROUND))
  const all = Object.keys({ ...FAULTS, ...UPSTREAM_FAULTS })
  expect(new Set(met.map(strike => strike.fault))).toEqual(new Set(all))
  const outside = plans(7)
    .slice(0, 2)
    .flat()
    .filter(({ fault }) => fault in UPSTREAM_FAULTS)
  expect(new Set(outside.map(strike => strike.fault))).toEqual(new Set(Object.keys(UPSTREAM_FAULTS)))
})
