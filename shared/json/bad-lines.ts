// Says briefly which lines of a submission are bad, and why.

export interface BadLine {
  line: number
  problem: string
}

/**
 * One sentence for each problem, naming all lines that have it, ordered by their first line.
 *
 * @example describeLines([1, 2, 3, 5].map(line => ({ line, problem: 'input is missing' })), 'line')
 * // ['lines 1–3, 5: input is missing']
 */
export function describeLines(bad: readonly BadLine[], noun: string): string[] {
  const lines = Map.groupBy(bad, ({ problem }) => problem)
  return [...lines].map(([problem, of]) => {
    const named = ranges(of.map(({ line }) => line))
    return `${noun}${of.length > 1 ? 's' : ''} ${named}: ${problem}`
  })
}

function ranges(numbers: readonly number[]): string {
  const found: [first: number, last: number][] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ')
}
