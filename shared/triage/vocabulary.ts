// The closed lists of words of triage, which columns, JSON bodies, the SDK and the command line share.

/** Lanes of items that wait because of their recorded state: they did not work, or are held. */
export const RECORDED_LANES = ['dlq', 'quarantine'] as const
/** `review`: the item is recorded as ok, but somebody says or asks whether it is. The order is the column type's. */
export const TRIAGE_LANES = [...RECORDED_LANES, 'review'] as const
export type TriageLane = (typeof TRIAGE_LANES)[number]

/** What was decided. `wrong`: the row's verdict or suspicion is not true; `confirmed`: its suspicion is true. */
export const DISPOSITIONS = [
  'acknowledged',
  'dismissed',
  'replayed',
  'resumed',
  'wrong',
  'confirmed',
] as const
export type Disposition = (typeof DISPOSITIONS)[number]

/**
 * What somebody calls wrong about an item: its recorded verdict, the suspicion that triage asks about, or a person's
 * correction of an ok item.
 */
export const WRONG_OF = ['verdict', 'question', 'correction'] as const
export type WrongOf = (typeof WRONG_OF)[number]

/** Actions on items that wait for a decision, one or a whole cohort. `wrong` calls their verdict wrong. */
export const TRIAGE_ACTIONS = ['replay', 'resume', 'acknowledge', 'dismiss', 'wrong'] as const
export type TriageAction = (typeof TRIAGE_ACTIONS)[number]

/** Actions that a row of triage accepts. `confirm` says that its suspicion is true. */
export const ROW_ACTIONS = [...TRIAGE_ACTIONS, 'confirm'] as const
export type RowAction = (typeof ROW_ACTIONS)[number]

/** The same, and the action on an item that was decided about. */
export const ITEM_ACTIONS = [...ROW_ACTIONS, 'reopen'] as const
export type ItemAction = (typeof ITEM_ACTIONS)[number]
