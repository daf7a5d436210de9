// Headers for a response whose pieces matter as they arrive. Guarantee: proxies on the way are asked to pass each piece
// on at once.

/**
 * nginx buffers a response, up to 8 KB or to its end, unless it reads `x-accel-buffering`; a proxy that compresses does
 * the same unless it reads `no-transform`.
 */
export const liveHeaders = (type: string): Record<string, string> => ({
  'content-type': type,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
})
