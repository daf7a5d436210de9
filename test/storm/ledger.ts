// What the API answered its callers. Guarantee: an entry is made before its request is sent, so no acknowledged
// submission can be missing here, and a submission without a clear answer is marked as uncertain.

import type { Manner } from './payloads.ts'

export interface Entry {
  /** Name of the run, and the beginning of its items' names. */
  name: string
  round: number
  items: number
  /** Name of its items, if they are not named after the run. */
  item_name?: string
  /** Idempotency key: the request is repeated until the answer is clear, which may be the answer to an earlier try. */
  key?: string
  callback?: Manner
  /** Whether a cancel was requested, whatever its answer. */
  is_cancelled?: boolean
  /** `uncertain`: no answer, or one that does not say whether it was done. */
  state: 'sent' | 'accepted' | 'uncertain' | 'refused'
  run_ids: Set<string>
}

export interface Ledger {
  entries: Entry[]
  /** Ids of the acknowledged recoveries. */
  recovery_ids: string[]
  open(entry: Pick<Entry, 'name' | 'round' | 'items'> & Partial<Entry>): Entry
  ofRound(round: number): Entry[]
}

export function openLedger(): Ledger {
  const ledger: Ledger = {
    entries: [],
    recovery_ids: [],
    open(given) {
      const entry: Entry = { state: 'sent', run_ids: new Set(), ...given }
      ledger.entries.push(entry)
      return entry
    },
    ofRound: round => ledger.entries.filter(entry => entry.round === round),
  }
  return ledger
}

/** Name of item number `at`, counted from 1. */
export const itemNameOf = (entry: Pick<Entry, 'name' | 'items'>, at: number) =>
  entry.items === 1 ? entry.name : `${entry.name}-${at}`
