// The closed lists of words of triage, which columns, JSON bodies, the SDK and the command line share.

/** Of items that wait because of what was recorded: they did not work, or are held. */
export const RECORDED_LANES = ['dlq', 'quarantine'] as const
/** `review`: the item worked as recorded, and somebody says or asks whether it did. The order is that of the column's type. */
export const TRIAGE_LANES = [...RECORDED_LANES, 'review'] as const
export type TriageLane = (typeof TRIAGE_LANES)[number]

/** What was decided. `wrong`: what the row says is not so; `confirmed`: what it asks is. */
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
 * What of an item somebody calls wrong: what was recorded of it, that it is what triage asks, or that somebody called an
 * ok item wrong.
 */
export const WRONG_OF = ['verdict', 'question', 'correction'] as const
export type WrongOf = (typeof WRONG_OF)[number]

/** What may be done with items that wait for a decision, one or a whole cohort. `wrong`: their verdict is called wrong. */
export const TRIAGE_ACTIONS = ['replay', 'resume', 'acknowledge', 'dismiss', 'wrong'] as const
export type TriageAction = (typeof TRIAGE_ACTIONS)[number]

/** What a row accepts. `confirm`: what it asks is so. */
export const ROW_ACTIONS = [...TRIAGE_ACTIONS, 'confirm'] as const
export type RowAction = (typeof ROW_ACTIONS)[number]

/** The same, and what may be done with one that was decided about. */
export const ITEM_ACTIONS = [...ROW_ACTIONS, 'reopen'] as const
export type ItemAction = (typeof ITEM_ACTIONS)[number]
