// Counts over a length of time that ends now, in equal parts. Guarantee: what is older than they reach is forgotten, also after
// a clock was set.

export interface CountedParts {
  /** The latest part, by its number since the epoch. */
  part: number
  /** The latest last. */
  counts: number[]
}

export const noParts = (): CountedParts => ({ part: 0, counts: [] })

/** The counts as of now: the last one is open, and the caller's to add to. */
export function partsNow(parts: CountedParts, many: number, each_ms: number, now_ms: number): number[] {
  const part = Math.floor(now_ms / each_ms)
  const passed = Math.min(many, Math.max(0, part - parts.part))
  parts.counts = [...Array(many).fill(0), ...parts.counts, ...Array(passed).fill(0)].slice(-many)
  parts.part = part
  return parts.counts
}
