// What a process keeps in mind of one upstream between its turns there.

import { LIMITS } from '../../kernel/limits.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import type { ReportedLimit } from '../../pacing/vocabulary.ts'
import type { AgedReport, ItemsTurn, PacedRow } from '../queries/pacing.ts'
import { ItemCalls } from './item-calls.ts'

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
  asked: ItemCalls
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
  asked: new ItemCalls(),
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

/** What happened since the last turn. */
export function turnOf(
  one: Paced,
  now: Pick<ItemsTurn, 'wants'> & {
    now_ms: number
    unused: number
    in_flight: { process: string; items: number }
  },
): ItemsTurn {
  const { started, tokens, refused, client_retries } = one
  const ended = Math.max(0, one.ended)
  const of_ended = one.asked.takeEnded()
  // Of an agent itself, each item is one call.
  const isAgent = one.row.kind === 'agent'
  return {
    started: started - now.unused,
    ended,
    served: isAgent ? ended : one.served,
    tokens,
    of_ended: isAgent ? { ...of_ended, calls: ended } : of_ended,
    refused,
    client_retries,
    reports: reportsOf(one, now.now_ms),
    in_flight: isAgent ? now.in_flight : { ...now.in_flight, ...one.asked.ofOpen() },
    deployments: [...one.deployments],
    wants: now.wants,
    // A turn more than until the next one, so that a late turn leaves no gap where the calls begin.
    ahead_ms: 2 * LIMITS.upstream_turn_ms,
  }
}

/** Limits as answers reported them, by how long ago that was: the database has a clock of its own. */
const reportsOf = ({ reports }: Paced, now_ms: number): AgedReport[] =>
  reports.map(({ began_ms, at_ms, ...limit }) => ({
    ...limit,
    began_ago_ms: Math.max(0, now_ms - began_ms),
    ago_ms: Math.max(0, now_ms - at_ms),
  }))
