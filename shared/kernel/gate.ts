// Lets a bounded number of calls run at once. Guarantee: the others wait in the order they came, and each that ends
// lets exactly one in.

export function gate(size: number) {
  let free = size
  const waiting: (() => void)[] = []
  return async <T>(call: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await call()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
