// What can be done about all items of a cause. Guarantee: pure; held items are resumed, all others replayed.

import type { Schemas } from '../sdk/client.ts'
import type { TriageAction } from '../triage/vocabulary.ts'

const HELD: readonly string[] = ['hold', 'budget_exceeded', 'unpriced_model']

/** An item that is held has no error; the words it is held with are those of no verdict. */
export const isOfHeld = ({ error_code, reason }: Pick<Schemas['Cause'], 'error_code' | 'reason'>): boolean =>
  error_code === null && HELD.includes(reason)

export const actionsOfCause = (cause: Pick<Schemas['Cause'], 'error_code' | 'reason'>): TriageAction[] => [
  isOfHeld(cause) ? 'resume' : 'replay',
  'acknowledge',
  'dismiss',
  ...(cause.error_code === null && !isOfHeld(cause) ? (['wrong'] as const) : []),
]
