// Free text on its way into a row. Guarantee: PostgreSQL takes it, and no separator of packed columns is left in it.

/** Free text made safe to store: control characters but tab and newline give way to a space. */
export function plainText(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
  return cut.replace(/[\x00-\x08\x0b-\x1f]/g, ' ').toWellFormed()
}
