// The tables that the bench prints: one of what fails outside, one of limits.

import type { Bench } from '../stack.ts'
import { type Estimated, type EstimatedFigures, estimated, playEstimated } from './estimates.ts'
import { type Limited, limited } from './limited.ts'
import { type LimitedFigures, playLimited } from './limited-play.ts'
import { type Figures, play } from './play.ts'
import { type Scenario, scenarios } from './scenarios.ts'

type Cell = string | number

export interface Table {
  columns: string[]
  rows: { name: string; play: (bench: Bench, double: string) => Promise<Cell[]> }[]
}

export const tables = (isQuick: boolean): Table[] => [
  outages(isQuick),
  limits(isQuick),
  ...(isQuick ? [] : [estimates()]),
]

export const line = (cells: readonly Cell[]): string =>
  `| ${cells.map(cell => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)).join(' | ')} |`

function outages(isQuick: boolean): Table {
  return {
    columns: [
      'scenario',
      'ok',
      'failed',
      'cancelled',
      'waiting',
      'open',
      'seconds',
      'calls',
      'useless',
      'most sends',
      'retries used',
      'back after',
      'neighbour',
      'why',
    ],
    rows: scenarios(isQuick).map(scenario => ({
      name: scenario.name,
      play: async (bench, double) => ofOutage(scenario, await play(bench, double, scenario)),
    })),
  }
}

function ofOutage({ name, for_s }: Scenario, of: Figures): Cell[] {
  const back = of.back_s === null ? (for_s === null ? '–' : 'never') : `${of.back_s} s`
  const waits =
    of.neighbour_s === Number.POSITIVE_INFINITY ? 'still waits' : `${of.neighbour_s?.toFixed(1)} s`
  const neighbour = of.neighbour_s === null ? '–' : waits
  const ends = [of.ok, of.failed, of.cancelled, of.waiting, of.open, Math.round(of.seconds)]
  return [name, ...ends, of.calls, of.useless, of.most_sends, of.retries, back, neighbour, of.notes || '–']
}

function limits(isQuick: boolean): Table {
  return {
    columns: [
      'scenario',
      'ok',
      'failed',
      'cancelled',
      'waiting',
      'open',
      'seconds',
      'last call',
      'least',
      'calls',
      'refused',
      'share',
      'fair',
      'most in flight',
      'retries used',
      'useless',
      'added',
      'why',
    ],
    rows: limited(isQuick).map(one => ({
      name: one.name,
      play: async (bench, double) => ofLimited(one, await playLimited(bench, double, one)),
    })),
  }
}

/** Only with time: each takes five minutes. */
const estimates = (): Table => ({
  columns: [
    'scenario',
    'items',
    'estimate before, s',
    'error',
    'at a tenth',
    'error',
    'last call after',
    'in words',
  ],
  rows: estimated().map(one => ({
    name: one.name,
    play: async (bench, double) => ofEstimate(one, await playEstimated(bench, double, one)),
  })),
})

function ofEstimate({ name, items }: Estimated, of: EstimatedFigures): Cell[] {
  const error = (seconds: number | null) =>
    seconds === null ? '–' : `${((100 * (seconds - of.took_s)) / of.took_s).toFixed(1)} %`
  const { before_s, tenth_s } = of
  return [
    name,
    items,
    rounded(before_s, 0),
    error(before_s),
    rounded(tenth_s, 0),
    error(tenth_s),
    Math.round(of.took_s),
    of.message,
  ]
}

const rounded = (value: number | null, digits: number, unit = '') =>
  value === null ? '–' : `${value.toFixed(digits)}${unit}`

function ofLimited({ name }: Limited, of: LimitedFigures): Cell[] {
  const percent = of.calls === 0 ? 0 : (100 * of.refused) / of.calls
  const refused = `${of.refused.toLocaleString('en')}, ${percent.toFixed(1)} %`
  return [
    name,
    of.ok,
    of.failed,
    of.cancelled,
    of.waiting,
    of.open,
    Math.round(of.seconds),
    Math.round(of.last_call_s),
    Math.round(of.least_s),
    of.calls,
    refused,
    rounded(of.share, 3),
    rounded(of.fair, 2),
    of.most_in_flight,
    of.retries,
    of.useless,
    rounded(of.added_ms, 0, ' ms'),
    of.notes || '–',
  ]
}
