// Divides long work of one thread into slices. Guarantee: others wait for the thread for one slice at most; work
// shorter than a slice does not wait at all.

/** Long enough that a turn of the event loop costs a tenth of it; short next to the time a health probe may take. */
const SLICE_MS = 10

/**
 * Returns a function to await now and then during the work: it gives others a turn once the slice is used up. The first
 * slice begins with the first call, as a module that keeps the function has no time when it is loaded.
 */
export function slices(): () => Promise<void> | undefined {
  let endsAt: number | undefined
  return () => {
    const now = performance.now()
    endsAt ??= now + SLICE_MS
    if (now < endsAt) return undefined
    return turn().then(() => {
      endsAt = performance.now() + SLICE_MS
    })
  }
}

/** The same for work in many small parts with waits between them: only what the parts took counts, each since its `began_ms`. */
export function slicesOfParts(): (began_ms: number) => Promise<void> | undefined {
  let worked_ms = 0
  return began_ms => {
    worked_ms += performance.now() - began_ms
    if (worked_ms < SLICE_MS) return undefined
    worked_ms = 0
    return turn()
  }
}

const turn = () => new Promise<void>(resolve => setTimeout(resolve))
