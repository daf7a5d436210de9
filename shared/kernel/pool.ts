// A bounded amount of something that many share. Guarantee: no more is out than there is, no holder has more than its share,
// and of those who wait the one whose holder has least goes first, so that nobody gets more by asking more often.
//
// A holder may be counted on several levels, as an account, a project and a key: each has a share of its own.

export interface PoolBounds {
  size: number
  /** The most that one holder has of it, or one on each level. */
  share: number | readonly number[]
}

/** Who has it; on each level of the shares, where there are several. */
export type Holder = string | readonly string[]

/** Of one pool, now and since the process began. */
export interface PoolFigures {
  size: number
  in_use: number
  waiting: number
  refused: number
}

const named = new Map<string, Pool>()

/** Of the process's pools that have a name. */
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
  /** In the order they came. */
  readonly #waiting = new Set<Waiting>()
  #free: number
  #refused = 0

  /** @param name what its figures are told by; where a process makes another of it, that one's are */
  constructor({ size, share }: PoolBounds, name?: string) {
    this.#size = size
    this.#shares = typeof share === 'number' ? [share] : share
    this.#free = size
    if (name !== undefined) named.set(name, this)
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** How much one has, on the first level. */
  heldBy(holder: string): number {
    return this.#heldBy(`0:${holder}`)
  }

  get figures(): PoolFigures {
    const in_use = this.#size - this.#free
    return { size: this.#size, in_use, waiting: this.#waiting.size, refused: this.#refused }
  }

  /**
   * What gives it back, to be called once, where it is to be had at once: undefined where not. Nobody who waits is passed
   * by, and nothing is awaited.
   */
  tryTake(holder: Holder, amount: number): (() => void) | undefined {
    const levels = levelsOf(holder)
    const isFree = amount <= this.#free && this.#isWithinShare({ holder: levels, amount })
    if (isFree && this.#inTurn() === undefined) return this.#given(levels, amount)
    this.#refused++
    return undefined
  }

  /**
   * Resolves with what gives it back, to be called once; undefined where it was not to be had within the time.
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
    for (const one of this.#waiting)
      if (this.#isWithinShare(one) && (first === undefined || this.#hasLess(one, first))) first = one
    return first
  }

  #isWithinShare({ holder, amount }: Pick<Waiting, 'holder' | 'amount'>): boolean {
    return holder.every((one, level) => this.#heldBy(one) + amount <= this.#shares[level]!)
  }

  /** On the first level on which they differ. */
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

/** The same name on two levels is counted apart. */
const levelsOf = (holder: Holder): string[] =>
  (typeof holder === 'string' ? [holder] : holder).map((name, level) => `${level}:${name}`)
