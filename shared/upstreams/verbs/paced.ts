// What a process keeps in mind of one upstream between its turns there.

import { LIMITS } from '../../kernel/limits.ts'
import type { PacedRow } from '../queries/pacing.ts'
import type { ReportedLimit } from '../vocabulary.ts'

/** A limit as an answer reported it, by this process's clock. */
export interface TimedLimit extends ReportedLimit {
  began_ms: number
  at_ms: number
}

/** What a deployment calls of an upstream, and what others do. */
export interface Part {
  /** Since the last turn. */
  served: number
  own_per_second: number
  others_per_second: number
}

/** An upstream with what happened since this process's last turn. */
export interface Paced {
  row: Omit<PacedRow, 'deployments'>
  deployments: Map<string, Part>
  is_bound: boolean
  /** The limits that people set for it, as it knew them last. */
  declared: string
  permits: number
  permitted_ms: number
  /** Permits of the latest turn that gave any. */
  granted: number
  wants: number
  started: number
  /** Items that left this process, and tokens of their calls. */
  ended: number
  tokens: number
  served: number
  refused: number
  /** Calls a second that all processes together may make. */
  calls_per_second: number | null
  /** Calls of all processes that had been answered well at the last turn; null before the first. */
  servedByAll: number | null
  /** Calls that wait for their turn in an agent's process, as it said last, and when. */
  held: number
  held_ms: number
  reports: TimedLimit[]
  turn_ms: number
  isTaking: boolean
}

/** What was answered in all and not to a deployment, others were. */
export function learnParts(one: Paced, served: number, elapsed_ms: number): void {
  const all = one.servedByAll === null ? 0 : served - one.servedByAll
  one.servedByAll = served
  const gain = 1 - Math.exp(-elapsed_ms / LIMITS.upstream_shared_ms)
  for (const part of one.deployments.values()) {
    const per_second = (calls: number) => (1000 * Math.max(0, calls)) / Math.max(1, elapsed_ms)
    part.own_per_second += gain * (per_second(part.served) - part.own_per_second)
    part.others_per_second += gain * (per_second(all - part.served) - part.others_per_second)
    part.served = 0
  }
}

/** Since the last turn; without the list, which each upstream has of its own. */
export const NOTHING_HAPPENED = { started: 0, ended: 0, tokens: 0, served: 0, refused: 0 }

export const startPaced = (row: Paced['row']): Paced => ({
  row,
  deployments: new Map(),
  is_bound: false,
  declared: '',
  permits: 0,
  permitted_ms: 0,
  granted: 0,
  wants: 0,
  ...NOTHING_HAPPENED,
  calls_per_second: null,
  servedByAll: null,
  held: 0,
  held_ms: 0,
  reports: [],
  turn_ms: Number.NEGATIVE_INFINITY,
  isTaking: false,
})

/** So much of what a deployment calls here, others call: less is as if its own calls cost a little more. */
const MUCH = 0.2
/** Who had few calls lately may have more: what begins in all is decided elsewhere. */
const LEAST_PART = 0.35

/** The calls a second that are a deployment's part; undefined if others use little of the limits, or nobody knows them. */
export function partOf({ calls_per_second }: Paced, { own_per_second, others_per_second }: Part) {
  if (calls_per_second === null || others_per_second <= MUCH * own_per_second) return undefined
  return calls_per_second * Math.max(LEAST_PART, own_per_second / (own_per_second + others_per_second))
}
