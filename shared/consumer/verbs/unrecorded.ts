// Counts what an agent sends without recording anything. Guarantee: it is bounded, for the request and for each item in
// whose name it is sent.

import { ProtocolError } from '../../grading/rules/step-row.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { Allowance, Beats } from '../../protocol/rules/allowance.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'

/** What an agent sent without recording anything is more than it may be. */
export class Flood extends ProtocolError {}

export class Unrecorded {
  readonly #now: () => number
  readonly #began_ms: () => number
  readonly #all: Allowance
  readonly #ofItem = new Map<InFlightItem, Allowance>()
  readonly #beats = new Beats()
  /** How many lines were passed over, and how the first of them begins. */
  passedOver: { lines: number; first: string } | undefined

  constructor(now: () => number, began_ms: () => number) {
    this.#now = now
    this.#began_ms = began_ms
    this.#all = new Allowance(began_ms())
  }

  /** @throws Flood */
  add(bytes: number): void {
    if (this.#all.isSpentBy(bytes, this.#now()))
      throw new Flood(
        `the agent sent more than ${LIMITS.unrecorded_bytes} bytes that record nothing${this.passedOver === undefined ? '' : `, such as: ${this.passedOver.first}`}`,
      )
  }

  /** A line that names no item; of the first one its head is kept. @throws Flood */
  passOver(headOf: () => string, bytes: number): void {
    this.passedOver ??= { lines: 0, first: headOf() }
    this.passedOver.lines++
    this.add(bytes + 1)
  }

  /** @throws Flood */
  beat(bytes: number): void {
    this.add(this.#beats.unrecordedOf(bytes + 1, this.#now()))
  }

  /** A line that names an item and records nothing counts for that item. @throws ProtocolError */
  strayOf(inFlight: InFlightItem, bytes: number): void {
    if (this.#allowanceOf(inFlight, LIMITS.unrecorded_bytes).isSpentBy(bytes + 1, this.#now()))
      throw new ProtocolError('the item sent too many lines of attempts that are over')
  }

  /** Its agent may go on for a while with an item that we ended. @throws Flood */
  afterEnd(inFlight: InFlightItem, bytes: number): void {
    if (this.#allowanceOf(inFlight, LIMITS.unrecorded_bytes_of_ended).isSpentBy(bytes + 1, this.#now()))
      throw new Flood(
        `the agent sent more than ${LIMITS.unrecorded_bytes_of_ended} bytes about an item that had ended`,
      )
  }

  #allowanceOf(inFlight: InFlightItem, bytes: number): Allowance {
    const known = this.#ofItem.get(inFlight)
    if (known?.bytes === bytes) return known
    const allowance = new Allowance(this.#began_ms(), bytes)
    this.#ofItem.set(inFlight, allowance)
    return allowance
  }
}
