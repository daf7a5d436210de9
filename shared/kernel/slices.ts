// Divides long work of one thread into slices. Guarantee: others wait for the thread for one slice at most; work
// shorter than a slice does not wait at all.

/** Long enough that a turn of the event loop costs a tenth of it; short next to the time a health probe may take. */
const SLICE_MS = 10

/** Returns a function to await now and then during the work: it gives others a turn once the slice is used up. */
export function slices(): () => Promise<void> | undefined {
  let endsAt = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < endsAt) return undefined
    return new Promise(resolve =>
      setTimeout(() => {
        endsAt = performance.now() + SLICE_MS
        resolve()
      }),
    )
  }
}
