// Makes texts of our own from pieces, so that none is learned by heart.

/** Each text has one piece of each list. */
export type Pieces = readonly (readonly string[])[]

/** This many of all texts that the pieces can make, evenly spread. */
export function made(pieces: Pieces, most: number): string[] {
  const total = pieces.reduce((n, list) => n * list.length, 1)
  const step = Math.max(1, Math.ceil(total / most) | 1)
  const texts: string[] = []
  for (let i = 0; i < total; i += step) {
    let rest = i
    let text = ''
    for (const list of pieces) {
      text += list[rest % list.length]
      rest = Math.floor(rest / list.length)
    }
    texts.push(text)
  }
  return [...new Set(texts)]
}
