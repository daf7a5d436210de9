// Shares a bounded amount among many holders. Guarantee: no more is given out than there is, no holder has more than
// its share, and of the waiting holders the one with the least goes first, so that asking more often gains nothing.
//
// A holder may be counted on several levels, such as account, project and key: each level has its own share.

export interface PoolBounds {
  size: number
  /** The most that one holder has at a time; one number for each level where there are several. */
  share: number | readonly number[]
}

/** Who takes from the pool: one name for each level of the shares. */
export type Holder = string | readonly string[]

/** Numbers of one pool: current, and refusals since the process began. */
export interface PoolFigures {
  size: number
  in_use: number
  waiting: number
  refused: number
}

const named = new Map<string, Pool>()

/** The numbers of every named pool of the process. */
export const poolFigures = (): [string, PoolFigures][] =>
  [...named].map(([name, pool]) => [name, pool.figures])

interface Waiting {
  holder: string[]
  amount: number
  begin(): void
}

export class Pool {
  readonly #size: number
  readonly #shares: readonly number[]
  readonly #held = new Map<string, number>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()
  #free: number
  #refused = 0

  /** @param name the name in poolFigures; a later pool of the same name replaces this one there */
  constructor({ size, share }: PoolBounds, name?: string) {
    this.#size = size
    this.#shares = typeof share === 'number' ? [share] : share
    this.#free = size
    if (name !== undefined) named.set(name, this)
  }

  /** How many requests are waiting. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** How much a holder has, on the first level. */
  heldBy(holder: string): number {
    return this.#heldBy(`0:${holder}`)
  }

  get figures(): PoolFigures {
    const in_use = this.#size - this.#free
    return { size: this.#size, in_use, waiting: this.#waiting.size, refused: this.#refused }
  }

  /**
   * Returns the function that gives the amount back, to be called once; undefined where the amount is not free at once,
   * or another holder's turn comes first. Never waits.
   */
  tryTake(holder: Holder, amount: number): (() => void) | undefined {
    const levels = levelsOf(holder)
    const isFree = amount <= this.#free && this.#isWithinShare({ holder: levels, amount })
    if (isFree && this.#inTurn() === undefined) return this.#given(levels, amount)
    this.#refused++
    return undefined
  }

  /**
   * Resolves with the function that gives the amount back, to be called once; undefined if it did not become free in
   * time.
   *
   * @param amount at most a holder's share
   */
  take(holder: Holder, amount: number, wait_ms: number): Promise<(() => void) | undefined> {
    return new Promise(resolve => {
      const waiting: Waiting = {
        holder: levelsOf(holder),
        amount,
        begin: () => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          resolve(this.#given(waiting.holder, amount))
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        this.#refused++
        resolve(undefined)
        this.#next() // the next in line may need less
      }, wait_ms)
      this.#waiting.add(waiting)
      this.#next()
    })
  }

  /** Small requests never overtake a large one for ever: when the next in turn does not fit, all wait. */
  #next(): void {
    for (let next = this.#inTurn(); next !== undefined && next.amount <= this.#free; next = this.#inTurn())
      next.begin()
  }

  #inTurn(): Waiting | undefined {
    let first: Waiting | undefined
    for (const one of this.#waiting)
      if (this.#isWithinShare(one) && (first === undefined || this.#hasLess(one, first))) first = one
    return first
  }

  #isWithinShare({ holder, amount }: Pick<Waiting, 'holder' | 'amount'>): boolean {
    return holder.every((one, level) => this.#heldBy(one) + amount <= this.#shares[level]!)
  }

  /** Compares on the first level on which the two differ. */
  #hasLess(one: Waiting, other: Waiting): boolean {
    const level = one.holder.findIndex((name, at) => this.#heldBy(name) !== this.#heldBy(other.holder[at]!))
    return level !== -1 && this.#heldBy(one.holder[level]!) < this.#heldBy(other.holder[level]!)
  }

  #heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  #given(holder: readonly string[], amount: number): () => void {
    this.#change(holder, amount)
    return () => {
      this.#change(holder, -amount)
      this.#next()
    }
  }

  #change(holder: readonly string[], amount: number): void {
    this.#free -= amount
    for (const one of holder) {
      const held = this.#heldBy(one) + amount
      if (held === 0) this.#held.delete(one)
      else this.#held.set(one, held)
    }
  }
}

/** Prefixes each name with its level, so that the same name on two levels is counted apart. */
const levelsOf = (holder: Holder): string[] =>
  (typeof holder === 'string' ? [holder] : holder).map((name, level) => `${level}:${name}`)
