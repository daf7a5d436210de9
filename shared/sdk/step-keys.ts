// Gives the steps of an attempt their keys. Guarantee: no two steps of an attempt have the same, and the same calls in the same
// order have the same in every attempt.

import { LIMITS } from '../kernel/limits.ts'
import { ownMask } from './own-mask.ts'

export class StepKeys {
  readonly #counts = new Map<string, number>()

  /** The name itself, as it is recorded, or for a repeated call the name with the first free number. */
  next(name: string): string {
    if (typeof name !== 'string' || name === '') throw new TypeError('a step needs a name')
    const kept = ownMask().text(name)
    let count = (this.#counts.get(kept) ?? 0) + 1
    let key = count === 1 ? kept : `${kept}#${count}`
    while (count > 1 && this.#counts.has(key)) key = `${kept}#${++count}`
    if (key.length > LIMITS.step_key_characters) {
      throw new TypeError(
        `a step's key may have ${LIMITS.step_key_characters} characters; ${key.slice(0, 40)}… is longer`,
      )
    }
    this.#counts.set(kept, count)
    if (count > 1) this.#counts.set(key, 1)
    return key
  }

  /** For an answer of this step that is not accepted: later attempts find only accepted ones again. */
  refused(key: string): string {
    for (let count = 1; ; count++) {
      const ending = `~${count}`
      const refused = key.slice(0, LIMITS.step_key_characters - ending.length) + ending
      if (this.#counts.has(refused)) continue
      this.#counts.set(refused, 1)
      return refused
    }
  }
}
