import { expect, it } from 'vitest'
import { leftOver, recoverCommand, sayLeftOver, type UnwellRun } from './left-over.ts'

const none: UnwellRun = { stop_reason: null, undecided: 0, cancelled: 0, cancelled_replayed: 0, paused: 0 }

const RUNS: [string, Partial<UnwellRun>, number, string | null][] = [
  ['all ok', {}, 0, null],
  ['some failed, none was stopped', { undecided: 128 }, 128, 'assay recover --run r --dry-run'],
  ['held items of a run that goes on', { paused: 3 }, 0, null],
  [
    'held items that a person dismissed',
    { cancelled: 3, undecided: 2 },
    2,
    'assay recover --run r --dry-run',
  ],
  [
    'stopped after failures in a row',
    { stop_reason: 'consecutive_failures', undecided: 128, cancelled: 4099 },
    4227,
    'assay recover --run r --all --dry-run',
  ],
  [
    'stopped in its pilot, its failures decided about',
    { stop_reason: 'pilot_failed', cancelled: 90 },
    90,
    'assay recover --run r --all --dry-run',
  ],
  ['cancelled', { stop_reason: 'cancelled', cancelled: 7 }, 7, 'assay recover --run r --all --dry-run'],
  [
    'stopped, with held items that nobody can resume',
    { stop_reason: 'consecutive_failures', undecided: 2, cancelled: 5, paused: 1 },
    8,
    'assay recover --run r --all --dry-run',
  ],
  [
    'out of budget: what did not run waits in triage',
    { stop_reason: 'budget_exceeded', undecided: 2000 },
    2000,
    'assay recover --run r --dry-run',
  ],
  [
    'out of budget, with held items',
    { stop_reason: 'budget_exceeded', undecided: 2000, paused: 4 },
    2004,
    'assay recover --run r --all --dry-run',
  ],
  [
    'stopped, and recovered in part',
    { stop_reason: 'consecutive_failures', cancelled: 10, cancelled_replayed: 4 },
    6,
    'assay recover --run r --all --dry-run',
  ],
  [
    'stopped, and recovered',
    { stop_reason: 'consecutive_failures', cancelled: 10, cancelled_replayed: 10 },
    0,
    null,
  ],
]

it.each(RUNS)('%s: one command runs again all that is left', (_, counts, items, command) => {
  const run = { ...none, ...counts }
  expect(leftOver(run)).toBe(items)
  expect(recoverCommand({ run_id: 'r', in_triage: run.undecided, items: leftOver(run) })).toBe(command)
})

it('the number is said with the command', () => {
  expect(sayLeftOver(4227)).toBe('4,227 items did not end well')
  expect(sayLeftOver(1)).toBe('1 item did not end well')
})
