// An answer whose pieces matter as they come. Guarantee: what stands between is told to pass each on at once.

/**
 * nginx collects an answer, up to 8 KB or to its end, unless it reads `x-accel-buffering`; a proxy that compresses does
 * the same unless it reads `no-transform`.
 */
export const liveHeaders = (type: string): Record<string, string> => ({
  'content-type': type,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
})
