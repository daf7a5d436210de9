// Suggests the known word that a mistyped one probably means.

/** The Levenshtein distance: letters to insert, remove or change. Its cost is the product of the lengths. */
function distance(a: string, b: string): number {
  let row = [...b, ''].map((_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]!
}

/**
 * The known word that a given one is nearest to, if at most `most` letters lie between them.
 *
 * @example nearest('budgt', ['budget', 'name'], 2) // 'budget'
 */
export function nearest(given: string, known: readonly string[], most: number): string | undefined {
  const near = known.filter(word => Math.abs(word.length - given.length) <= most)
  const ranked = near.map(word => ({ word, far: distance(word, given) })).sort((a, b) => a.far - b.far)
  return ranked[0] !== undefined && ranked[0].far <= most ? ranked[0].word : undefined
}
