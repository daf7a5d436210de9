// Several requests at once. Guarantee: the work for each element has ended when it resolves or rejects, and after a
// failure no further work begins.

/** As many as a process has connections to PostgreSQL, for which a request waits most of its time. */
const AT_ONCE = 12

export async function inFlight<T>(
  elements: readonly T[],
  work: (element: T) => Promise<void>,
): Promise<void> {
  const left = elements.values()
  let hasFailed = false
  const lane = async () => {
    for (const element of left) {
      if (hasFailed) return
      try {
        await work(element)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane))
  for (const one of lanes) if (one.status === 'rejected') throw one.reason
}
