// Prepares free text for a row. Guarantee: PostgreSQL accepts it, and it holds no separator of packed columns.

/** Replaces control characters, except tab and newline, by a space, and cuts after `maxCharacters`. */
export function plainText(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
  return cut.replace(/[\x00-\x08\x0b-\x1f]/g, ' ').toWellFormed()
}
