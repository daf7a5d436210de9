// Divides long work of one thread into slices. Guarantee: whoever waits for the thread waits for one slice at most, and work
// that is shorter than a slice does not wait at all.

/** Long enough that a turn of the event loop costs a tenth of it, and short beside what a probe of health may take. */
const SLICE_MS = 10

/** A function to call now and then while at work: where the slice is over it lets others in, and then the next begins. */
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
