// Claims that are made for the consumer of this process by whoever submits the items. Guarantee: their places are kept from
// before the items are claimed until the consumer has them, and only while nothing else waits for it.

import type { OwnConsumer, Places } from '../../context.ts'
import type { Claim } from './claim.ts'

export class GivenClaims implements OwnConsumer {
  readonly #claims: Claim[] = []
  readonly #onFilled: () => void
  #reserved = 0
  /** Whether the invocation under way takes so many items more. */
  hasRoom: (items: number) => boolean = () => true

  constructor(onFilled: () => void) {
    this.#onFilled = onFilled
  }

  /** Items that places are kept for. */
  get reserved(): number {
    return this.#reserved
  }

  get isEmpty(): boolean {
    return this.#claims.length === 0
  }

  reserve(items: number): Places | undefined {
    if (!this.hasRoom(items)) return undefined
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

  /** Claims to begin, each told once. */
  take(): Claim[] {
    return this.#claims.splice(0)
  }
}
