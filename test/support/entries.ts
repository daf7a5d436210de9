import type { Entry } from '../../shared/settling/queries/entries.ts'
import { OK } from '../../shared/settling/queries/settle.ts'

/** A flush's entry for an item that succeeded in its first attempt, without steps. */
export const entryThatWorked = (seq: number, more: Partial<Entry> = {}): Entry => ({
  seq,
  attempt: 1,
  steps_before: 0,
  steps_after: 0,
  cost_micro: 0,
  input_tokens: 0,
  output_tokens: 0,
  newly_unpriced: false,
  model_calls: 0,
  unread_calls: 0,
  suspected_calls: 0,
  verdict: OK,
  code_version: null,
  unchanged: false,
  prompt: null,
  cause: null,
  ...more,
})
