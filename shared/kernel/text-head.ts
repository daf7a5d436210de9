// Cuts texts. Guarantee: never within a character, and a text that was cut shows it by an ellipsis.

/** At most this many UTF-16 units of a text, without the mark. */
export const headOf = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')

/** The text, or its head and an ellipsis, which counts as one. @example shortened('abcdef', 4) // 'abc…' */
export const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : `${headOf(text, characters - 1)}…`
