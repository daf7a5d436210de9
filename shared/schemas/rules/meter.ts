// Counts what a check does, so that a check ends. Guarantee: deterministic; no clock is read, so the same value and schema
// come to the same end on every machine.

/** The steps of a check are used up. */
export class StepsSpent extends Error {}

let left = 0

/** A step is about what one keyword of one value takes: 50 ns. @throws StepsSpent */
export function spend(steps: number): void {
  left -= steps
  if (left < 0) throw new StepsSpent('the steps of the check are used up')
}

/** Runs a check, which never waits, with so many steps. @throws StepsSpent and what `check` throws */
export function within<T>(steps: number, check: () => T): T {
  const before = left
  left = steps
  try {
    return check()
  } finally {
    left = before
  }
}

/** Spends what it takes to turn a value into text or to compare it: its values, and the characters of its texts. */
export function spendOn(value: unknown): void {
  if (typeof value === 'string') return spend(1 + (value.length >> 5))
  spend(1)
  if (typeof value !== 'object' || value === null) return
  for (const [key, one] of Object.entries(value)) {
    spend(1 + (key.length >> 5))
    spendOn(one)
  }
}
