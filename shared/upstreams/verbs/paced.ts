// What a process keeps in mind of one upstream between its turns there.

import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import type { ReportedLimit } from '../../pacing/vocabulary.ts'
import type { PacedRow } from '../queries/pacing.ts'

/** A limit as an answer reported it, by this process's clock. */
export interface TimedLimit extends ReportedLimit {
  began_ms: number
  at_ms: number
}

/** An upstream with what happened since this process's last turn. */
export interface Paced {
  row: Omit<PacedRow, 'deployments'>
  deployments: Set<string>
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
  /** Calls that wait for their turn in an agent's process, as it said last, and when. */
  held: number
  held_ms: number
  /** A client tries again by itself, after a refusal: said since the last turn. */
  client_retries: boolean
  reports: TimedLimit[]
  turn_ms: number
  isTaking: boolean
}

/** Since the last turn; without the list, which each upstream has of its own. */
export const NOTHING_HAPPENED = {
  started: 0,
  ended: 0,
  tokens: 0,
  served: 0,
  refused: 0,
  client_retries: false,
}

export const startPaced = (row: Paced['row']): Paced => ({
  row,
  deployments: new Set(),
  // What a declaration limits is bound from the first item on.
  is_bound: Boolean(row.agent_id),
  declared: '',
  permits: 0,
  permitted_ms: 0,
  granted: 0,
  wants: 0,
  ...NOTHING_HAPPENED,
  held: 0,
  held_ms: 0,
  reports: [],
  turn_ms: Number.NEGATIVE_INFINITY,
  isTaking: false,
})

/** By what a deployment calls; a declaration has few limits, and an agent one address. */
export const isMadeUp = ({ row }: Paced) => row.kind !== 'agent' && !row.agent_id

/** A deployment whose items are about to begin, with what it declares. */
export interface Declaring {
  project_id: string
  agent_id: string
  deployment_id: string
  limits: readonly NamedLimits[]
}
