// Lets a process see that a request was closed before another call of its item is made. Guarantee: what was closed before the
// wait began has been seen after it, where the host is Node.

import type { StepKind } from '../items/vocabulary.ts'

/** Steps that cost money or have an effect. */
const CALLS: ReadonlySet<StepKind> = new Set(['llm_call', 'tool_call'])

/** Node reads that a connection has ended in one turn of its loop, and closes the request within two more. */
const TURNS = 3

/**
 * A process that is busy finds the answer of a call and the end of its request in the same moment. Another call of the item
 * would be paid for nobody.
 */
export async function closingSeen(kind: StepKind): Promise<void> {
  if (!CALLS.has(kind) || typeof setImmediate !== 'function') return
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>(resolve => setImmediate(resolve))
}
