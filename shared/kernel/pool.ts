// A bounded amount of something that many share. Guarantee: no more is out than there is, no holder has more than its share,
// and of those who wait the one whose holder has least goes first, so that nobody gets more by asking more often.

export interface PoolBounds {
  size: number
  /** The most that one holder has of it. */
  share: number
}

interface Waiting {
  holder: string
  amount: number
  begin(): void
}

export class Pool {
  readonly #bounds: PoolBounds
  readonly #held = new Map<string, number>()
  /** In the order they came. */
  readonly #waiting = new Set<Waiting>()
  #free: number

  constructor(bounds: PoolBounds) {
    this.#bounds = bounds
    this.#free = bounds.size
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves with what gives it back, to be called once; undefined where it was not to be had within the time.
   *
   * @param amount at most a holder's share
   */
  take(holder: string, amount: number, wait_ms: number): Promise<(() => void) | undefined> {
    return new Promise(resolve => {
      const waiting: Waiting = {
        holder,
        amount,
        begin: () => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          this.#change(holder, amount)
          resolve(() => {
            this.#change(holder, -amount)
            this.#next()
          })
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        resolve(undefined)
        this.#next() // who stood behind it may need less
      }, wait_ms)
      this.#waiting.add(waiting)
      this.#next()
    })
  }

  /** Large amounts are not passed by small ones for ever: where the next in turn does not fit, all wait. */
  #next(): void {
    for (let next = this.#inTurn(); next !== undefined && next.amount <= this.#free; next = this.#inTurn())
      next.begin()
  }

  #inTurn(): Waiting | undefined {
    let first: Waiting | undefined
    for (const one of this.#waiting) {
      const held = this.#heldBy(one)
      if (held + one.amount > this.#bounds.share) continue
      if (first === undefined || held < this.#heldBy(first)) first = one
    }
    return first
  }

  #heldBy({ holder }: Waiting): number {
    return this.#held.get(holder) ?? 0
  }

  #change(holder: string, amount: number): void {
    this.#free -= amount
    const held = (this.#held.get(holder) ?? 0) + amount
    if (held === 0) this.#held.delete(holder)
    else this.#held.set(holder, held)
  }
}
