// Compares two texts line by line. Guarantee: the lines that are kept or added make the second text, those that are kept
// or removed the first; what is too long to compare is undefined.

export interface DiffLine {
  change: 'same' | 'added' | 'removed'
  text: string
}

const MOST_CELLS = 4_000_000 // of the table of what is left between the equal ends: 8 MB, 20 ms

export function lineDiff(before: string, after: string): DiffLine[] | undefined {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  if (middle === undefined) return undefined
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)]
}

const same = (text: string): DiffLine => ({ change: 'same', text })

/** By the longest common subsequence. */
function between(a: readonly string[], b: readonly string[]): DiffLine[] | undefined {
  const width = b.length + 1
  if ((a.length + 1) * width > MOST_CELLS) return undefined
  const common = new Uint16Array((a.length + 1) * width) // of a from i and b from j
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
  const lines: DiffLine[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && a[i] === b[j]) {
      lines.push(same(a[i]!))
      i++
      j++
    } else if (j === b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
      lines.push({ change: 'removed', text: a[i++]! })
    else lines.push({ change: 'added', text: b[j++]! })
  }
  return lines
}
