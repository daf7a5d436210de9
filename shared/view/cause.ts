// The actions available for all items of a cause. Guarantee: pure; held items are resumed, all others replayed.

import type { Schemas } from '../sdk/client.ts'
import type { TriageAction } from '../triage/vocabulary.ts'

const HELD: readonly string[] = ['hold', 'budget_exceeded', 'unpriced_model']

/** A held item has no error, and no verdict uses the reasons that items are held for. */
export const isOfHeld = ({ error_code, reason }: Pick<Schemas['Cause'], 'error_code' | 'reason'>): boolean =>
  error_code === null && HELD.includes(reason)

export const actionsOfCause = (cause: Pick<Schemas['Cause'], 'error_code' | 'reason'>): TriageAction[] => [
  isOfHeld(cause) ? 'resume' : 'replay',
  'acknowledge',
  'dismiss',
  ...(cause.error_code === null && !isOfHeld(cause) ? (['wrong'] as const) : []),
]
