// Decides whether and how a call fails. Guarantee: the decision follows from the text alone, so a run can be repeated
// and its figures compared. The rates are those of a middling real provider, exaggerated enough to be seen in a demo.

const FATES = [
  { fate: 'refusal', share: 0.02 },
  { fate: 'truncated', share: 0.015 },
  { fate: 'empty', share: 0.01 },
  { fate: 'rate_limited', share: 0.01 }, // 429 at the first try
  { fate: 'overloaded', share: 0.01 }, // 500 at the first try
  { fate: 'broken', share: 0.004 }, // 500 at every try
] as const

export type Fate = (typeof FATES)[number]['fate'] | 'answer'

const SEEN_TEXTS = 100_000 // beyond that the oldest is forgotten, and its next try counts as its first again

export class Fates {
  #seen = new Set<number>()

  /** The fate of this call; a text that was rate limited or overloaded once is answered when it comes again. */
  of(text: string): Fate {
    const hash = hashOf(text)
    const fate = pick(hash / 2 ** 32)
    if (fate !== 'rate_limited' && fate !== 'overloaded') return fate
    if (this.#seen.has(hash)) return 'answer'
    if (this.#seen.size >= SEEN_TEXTS) this.#seen.delete(this.#seen.values().next().value!)
    this.#seen.add(hash)
    return fate
  }
}

function pick(at: number): Fate {
  let end = 0
  for (const { fate, share } of FATES) {
    end += share
    if (at < end) return fate
  }
  return 'answer'
}

/** FNV-1a with a final mix, so that texts that differ in one letter get distant hashes. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
