// The SQL of item transitions. Guarantee: every statement that moves items guards them, counts them and puts them into
// triage as the table of transitions says; no other statement that changes items writes a counter or names a status.
//
// In these fragments a run is `r`, the usage of its project `u` and an item `i`, unless stated otherwise.

import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../context.ts'
import {
  counterOf,
  type Decision,
  effectOf,
  FIRST_STATUS,
  ITEM_COUNTERS,
  type ItemEvent,
  isFinal,
  transitionOf,
} from '../rules/lifecycle.ts'
import type { ItemStatus } from '../vocabulary.ts'

/** How an attempt ends its item, for good or for now. */
const VERDICTS = ['complete', 'degrade', 'fail', 'exhaust', 'hold'] as const satisfies readonly ItemEvent[]

const quoted = (value: string) => `'${value}'`

export function isIn(statuses: readonly ItemStatus[], of = 'i'): string {
  const [status, ...more] = statuses.map(quoted)
  return more.length === 0 ? `${of}.status = ${status}` : `${of}.status in (${[status, ...more].join(', ')})`
}

/** Whether one of the events may happen to an item. */
export const guard = (events: readonly ItemEvent[] | ItemEvent, of = 'i'): string =>
  isIn([...new Set([events].flat().map(event => transitionOf(event).from))], of)

/** The status an event leads to. */
export const statusAfter = (event: ItemEvent): string => `${quoted(transitionOf(event).to)}::item_status`

/** The verdict an event gives. */
export const outcomeOf = (event: ItemEvent): string => `${quoted(transitionOf(event).outcome!)}::outcome`

/** The triage lane an event leads to, for events that have one. */
export const laneOf = (event: ItemEvent): string => `${quoted(transitionOf(event).lane!)}::triage_lane`

/** The disposition that an event sets on the item's triage row. */
export const dispositionOf = (event: ItemEvent): string =>
  `${quoted(transitionOf(event).disposition!)}::disposition`

/** The assignments of an event to its items; `at` is the SQL expression of its time. */
export function become(event: ItemEvent, at = 'now()'): string {
  const { to } = transitionOf(event)
  const also: Partial<Record<ItemEvent, string>> = {
    claim: `, attempt = attempt + 1, started_at = coalesce(started_at, ${at})`,
    resume: ', outcome_reason = null, degraded_reason = null, error_message = null, code_version = null',
  }
  return `status = ${quoted(to)}${isFinal(to) ? `, completed_at = ${at}` : ''}${also[event] ?? ''}`
}

/** Columns of an item that a submission writes: queued, or claimed where the condition `isClaimed` holds. */
export const WRITTEN_COLUMNS = 'status, attempt, started_at'
export const written = (isClaimed: string): string => `
  case when ${isClaimed} then ${statusAfter('claim')} else ${quoted(FIRST_STATUS)} end,
  case when ${isClaimed} then 1 else 0 end, case when ${isClaimed} then now() end`

/** By event or decision, the column that says how many items it happens to. */
export type Moves = { readonly [E in ItemEvent | Decision]?: string }

const movesOf = (moves: Moves) => Object.entries(moves) as [ItemEvent | Decision, string][]

/** What moves add to a counter, as `+ n.ok - n.paused`. */
const sumOf = (moves: Moves, counter: (typeof ITEM_COUNTERS)[number] | 'undecided') =>
  movesOf(moves)
    .map(([event, count]) => {
      const change = effectOf(event)[counter]
      return change === undefined ? '' : `${change > 0 ? ' +' : ' -'} ${count}`
    })
    .join('')

/**
 * The time as a row that an update reads, for columns that are written only if a condition holds: a cluster accepts no
 * `now()` within CASE or COALESCE there.
 */
export const CLOCK = '(select now() as at) clock'

/** Assignments to a run: its counters and, if items end, `finished_at` once none is left, by `CLOCK`. */
export function countMoves(moves: Moves): string {
  const counters = [...ITEM_COUNTERS, 'undecided' as const].flatMap(counter => {
    const sum = sumOf(moves, counter)
    return sum === '' ? [] : [`${counter} = r.${counter}${sum}`]
  })
  const ending = ITEM_COUNTERS.filter(isEnded).map(counter => sumOf(moves, counter))
  const ended = ending.join('')
  if (ended !== '')
    counters.push(
      `finished_at = coalesce(r.finished_at, case when ended_items(r)${ended} >= r.total_items then clock.at end)`,
    )
  return counters.join(', ')
}

/**
 * How many items of a run have ended, as `ended_items` says it. For callers' reads, which may go through a view, whose
 * rows a cluster does not pass to functions.
 */
export const endedItemsOf = (run: string) =>
  `(${ITEM_COUNTERS.filter(isEnded)
    .map(counter => `${run}.${counter}`)
    .join(' + ')})`

/** Whether a counter counts items that have ended. */
const isEnded = (counter: (typeof ITEM_COUNTERS)[number]) => counter !== 'running' && counter !== 'paused'

/** The assignment to the usage of a project. */
export const useMoves = (moves: Moves): string => `running = u.running${sumOf(moves, 'running')}`

/** Columns that count the items of a statement by their verdict now, named like the counters. */
export const TALLY = VERDICTS.map(event => {
  const { to, outcome } = transitionOf(event)
  const verdict = to === 'completed' ? ` and outcome = ${quoted(outcome!)}` : ''
  return `count(*) filter (where status = ${quoted(to)}${verdict})::int as ${counterOf(to, outcome)}`
}).join(', ')

/** The moves that those columns of `n` count. */
export const TALLIED: Moves = Object.fromEntries(
  VERDICTS.map(event => [event, `n.${counterOf(transitionOf(event).to, transitionOf(event).outcome)}`]),
)

/** Condition on due items of a run that the statement, in its `counted`, has finished: they are due no more. */
export const DUE_OF_ENDED = `(project_id, run_id) in (
    select project_id, id from counted where finished_at is not null)`

/** Whether the triage row is of an item that waits for a decision; the run counts these in `undecided`. */
export const isUndecided = (of = 't'): string =>
  `(${of}.lane = 'dlq' and (${of}.disposition is null or ${of}.disposition = 'acknowledged'))`

const INTO_TRIAGE = `insert into triage as t (run_id, seq, project_id, agent_id, lane, reason, error_code, partition_key,
    prompt, cause_id, cost_micro)`
const OR_AGAIN = `on conflict (project_id, run_id, seq) do update set lane = excluded.lane, reason = excluded.reason,
    error_code = excluded.error_code, prompt = excluded.prompt, cause_id = excluded.cause_id,
    cost_micro = excluded.cost_micro, created_at = excluded.created_at, disposition = null, decided_at = null,
      decided_by = null`

/**
 * Puts items into triage: `rows` has run_id, seq, project_id, agent_id, lane, reason, error_code, partition_key,
 * prompt, cause_id and cost_micro, in this order. A resumed item may come back and have a row already; an item in its
 * first attempt was not resumed, so no row of it is looked for.
 */
export const putIntoTriage = (sql: Sql, rows: PendingQuery<Row[]>, areInFirstAttempt = false) =>
  sql`${sql.unsafe(INTO_TRIAGE)} ${rows} ${sql.unsafe(areInFirstAttempt ? '' : OR_AGAIN)}`

/** The same for rows without parameters. */
export const intoTriage = (rows: string): string => `${INTO_TRIAGE} ${rows} ${OR_AGAIN}`

/** The triage lane of an item by its verdict now. */
export const laneByVerdict = (of: string): string =>
  `case when ${isIn([transitionOf('hold').to], of)} then ${laneOf('hold')} else ${laneOf('fail')} end`
