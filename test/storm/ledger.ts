// What callers were told. Guarantee: an entry is made before its request is sent, so nothing that was acknowledged can be
// missing here, and what nobody heard of is known to be uncertain.

import type { Manner } from './payloads.ts'

export interface Entry {
  /** Of the run, and the beginning of its items' names. */
  name: string
  round: number
  items: number
  /** What its items are named, where they are not named after it. */
  item_name?: string
  /** Sent again until the answer is clear, which may be that of an earlier try. */
  key?: string
  callback?: Manner
  /** Whether a cancel was asked for, however that was answered. */
  is_cancelled?: boolean
  /** `uncertain`: no answer, or one that says nothing about whether it was done. */
  state: 'sent' | 'accepted' | 'uncertain' | 'refused'
  run_ids: Set<string>
}

export interface Ledger {
  entries: Entry[]
  /** Recoveries that were acknowledged. */
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

/** Of its item number `at`, counted from 1. */
export const itemNameOf = (entry: Pick<Entry, 'name' | 'items'>, at: number) =>
  entry.items === 1 ? entry.name : `${entry.name}-${at}`
