// Finds ids that differ only in case, blanks or the way a letter is written. Guarantee: memory is bounded: 16 bytes for
// each of the first MAX_IDS ids, and ids beyond these are not looked at.

/** Twice as many slots as ids: 64 MiB for the largest. */
const MAX_IDS = 4_000_000
const FIRST_SLOTS = 1 << 12

/** An id as people read it. */
const normalised = (id: string): string =>
  id
    .normalize('NFKC')
    .replaceAll(/[\s\u200b-\u200d\u2060]+/g, ' ')
    .trim()
    .toLowerCase()

export class SeenIds {
  /** Hashes of 53 bits; 0 is an empty slot. */
  #slots = new Float64Array(FIRST_SLOTS)
  #count = 0

  /** Whether an id like this one was seen before. */
  hasLike(id: string): boolean {
    if (this.#count >= MAX_IDS) return false
    if (this.#count * 2 >= this.#slots.length) this.#grow()
    return !this.#add(this.#slots, hashOf(normalised(id)))
  }

  #add(slots: Float64Array, hash: number): boolean {
    const last = slots.length - 1
    for (let slot = hash % slots.length; ; slot = (slot + 1) & last) {
      if (slots[slot] === hash) return false
      if (slots[slot] !== 0) continue
      slots[slot] = hash
      if (slots === this.#slots) this.#count++
      return true
    }
  }

  #grow(): void {
    const more = new Float64Array(this.#slots.length * 2)
    for (const hash of this.#slots) if (hash !== 0) this.#add(more, hash)
    this.#slots = more
  }
}

/** Two multiplicative hashes of 32 bits, of which 53 are kept: of a million ids, two share one in 1 of 18,000 files. */
function hashOf(text: string): number {
  let [one, other] = [0x2f0b4c47, 0x1b873593]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x85ebca77)
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35)
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35)
  return (other & 0x1fffff) * 2 ** 32 + (one >>> 0) + 1
}
