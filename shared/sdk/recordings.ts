// What earlier attempts of an item recorded, and the item that it replays. Guarantee: a step gets the value that it returned when
// it was recorded; what was cut for the trace is not reused.

import { canonicalJson } from '../json/canonical.ts'
import type { ItemLine, OfferedStep } from '../protocol/rules/protocol.ts'
import type { OpenStep } from './item-lines.ts'
import { isCut } from './payload.ts'
import { revived } from './revived.ts'

export interface Recording {
  output: unknown
}

export class Recordings {
  readonly #recorded: Map<string, unknown> | undefined
  readonly #offered: Map<string, OfferedStep> | undefined

  constructor({ recorded, recorded_for_input }: ItemLine) {
    if (recorded?.length > 0) this.#recorded = new Map(recorded.map(step => [step.key, step.output]))
    if (recorded_for_input) this.#offered = new Map(recorded_for_input.map(step => [step.key, step]))
  }

  /** What an earlier attempt recorded under a key. */
  ofKey(key: string): Recording | undefined {
    if (!this.#recorded?.has(key)) return undefined
    const output = this.#recorded.get(key)
    return isCut(output) ? undefined : { output: revived(output) }
  }

  /** What was recorded for a call with the same key and the same input. */
  forInput({ key, input }: OpenStep): Recording | undefined {
    const offer = this.#offered?.get(key)
    if (offer === undefined || input === undefined || isCut(offer.input) || isCut(offer.output)) return
    const isSame = canonicalJson(offer.input) === canonicalJson(JSON.parse(input))
    return isSame ? { output: revived(offer.output) } : undefined
  }
}
