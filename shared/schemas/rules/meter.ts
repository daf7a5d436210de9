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

/** Spends what it takes to go through a value: its values, its names at `perName`, and the characters of its texts. */
function spendOn(value: unknown, perName: number): void {
  if (typeof value === 'string') return spend(1 + (value.length >> 5))
  spend(1)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const one of value) spendOn(one, perName)
  else
    for (const [name, one] of Object.entries(value)) {
      spend(perName + (name.length >> 5))
      spendOn(one, perName)
    }
}

export const spendOnCopy = (value: unknown): void => spendOn(value, 0)

/** To compare a value it is turned into text, in which names are sorted. */
export const spendOnText = (value: unknown): void => spendOn(value, 4)
