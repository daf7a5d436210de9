// Names the actions on items, as buttons, headings and lists say them. Guarantee: pages and their scripts say the same.

import type { RowAction } from '../../../shared/triage/vocabulary.ts'

export const ACTION_VERBS: Readonly<Record<RowAction, string>> = {
  replay: 'Replay',
  resume: 'Resume',
  acknowledge: 'Acknowledge',
  dismiss: 'Dismiss',
  wrong: 'Mark as wrong',
  confirm: 'Confirm',
}

/** @example actionOn('dismiss', 'all 4') // 'Dismiss all 4'; with 'wrong' 'Mark all 4 as wrong' */
export const actionOn = (action: RowAction, what: string): string =>
  action === 'wrong' ? `Mark ${what} as wrong` : `${ACTION_VERBS[action]} ${what}`
