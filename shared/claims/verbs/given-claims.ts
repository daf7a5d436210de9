// Passes claims that a submission makes to the consumer of this process. Guarantee: their places are reserved from
// before the items are claimed until the consumer has them, and only while nothing else waits for that consumer.

import type { OwnConsumer, Places } from '../../context.ts'
import type { Claim } from './claim.ts'

export class GivenClaims implements OwnConsumer {
  readonly #claims: Claim[] = []
  readonly #onFilled: () => void
  #reserved = 0
  /** Whether the running invocation takes this many more items. */
  hasRoom: (items: number, project_id: string) => boolean = () => true

  constructor(onFilled: () => void) {
    this.#onFilled = onFilled
  }

  /** Items that have a reserved place. */
  get reserved(): number {
    return this.#reserved
  }

  get isEmpty(): boolean {
    return this.#claims.length === 0
  }

  reserve(items: number, project_id: string): Places | undefined {
    if (!this.hasRoom(items, project_id)) return undefined
    this.#reserved += items
    return {
      fill: claim => {
        this.#claims.push(claim as Claim)
        this.#onFilled()
      },
      giveBack: () => {
        this.#reserved -= items
      },
    }
  }

  /** Claims to begin; each is returned once. */
  take(): Claim[] {
    return this.#claims.splice(0)
  }
}
