// Reproducible random numbers. Guarantee: the same seed gives the same numbers on every machine.

export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number
  pick<T>(list: readonly T[]): T
  /** True with this probability, from 0 to 1. */
  chance(share: number): boolean
  shuffled<T>(list: readonly T[]): T[]
}

/** Mulberry32: 32 bits of state, which is plenty for choosing faults. */
export function randomFrom(...seeds: readonly (number | string)[]): Random {
  let state = hashOf(seeds.join(' '))
  const random: Random = {
    next() {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), 1 | state)
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
    },
    whole: (min, max) => min + Math.floor(random.next() * (max - min + 1)),
    pick: list => list[random.whole(0, list.length - 1)]!,
    chance: share => random.next() < share,
    shuffled(list) {
      const left = [...list]
      return list.map(() => left.splice(random.whole(0, left.length - 1), 1)[0]!)
    },
  }
  return random
}

/** FNV-1a with a final mix, so that texts that differ only in their last letter differ in all bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
