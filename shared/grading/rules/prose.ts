// Extracts the human language from a text. Guarantee: pure, and of a cost that grows no faster than the text.

/** Fences, which may be open to the end, and code within a line. */
const CODE = /(```|~~~)[\s\S]*?(?:\1|$)|``[^\n]*?``|`[^`\n]*`/g
/** URLs and tags say nothing about the language around them. */
const NO_WORDS = /https?:\/\/\S+|<[^>\n]{1,80}>/g

export const withoutCode = (text: string): string => (/[`~]/.test(text) ? text.replace(CODE, ' ') : text)

/** A text without its code, URLs and tags. */
export const proseOf = (text: string): string => {
  const written = withoutCode(text)
  return /<|http/.test(written) ? written.replace(NO_WORDS, ' ') : written
}
