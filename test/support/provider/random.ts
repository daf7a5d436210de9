// Random numbers that depend on nothing but their names: the same item meets the same fate in every run.

/** Between 0 and 1, by FNV-1a over the names and the finishing steps of MurmurHash3. */
export function draw(...names: (string | number)[]): number {
  let hash = 0x811c9dc5
  for (const char of names.join('\u0000')) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** Lognormal by its median: Box and Muller's way makes a normal variable of two uniform ones. */
export function lognormal(median: number, sigma: number, ...names: (string | number)[]): number {
  if (sigma === 0) return median
  const [first, second] = [Math.max(draw(...names, 'first'), 2 ** -32), draw(...names, 'second')]
  return median * Math.exp(sigma * Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second))
}
