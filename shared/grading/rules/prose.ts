// What of a text is a person's language. Guarantee: pure, and of a cost that grows no faster than the text.

/** Fences, which may be open to the end, and code within a line. */
const CODE = /(```|~~~)[\s\S]*?(?:\1|$)|``[^\n]*?``|`[^`\n]*`/g
/** Addresses and tags say nothing of the language around them. */
const NO_WORDS = /https?:\/\/\S+|<[^>\n]{1,80}>/g

export const withoutCode = (text: string): string => (/[`~]/.test(text) ? text.replace(CODE, ' ') : text)

/** Its sentences. */
export const proseOf = (text: string): string => {
  const written = withoutCode(text)
  return /<|http/.test(written) ? written.replace(NO_WORDS, ' ') : written
}
