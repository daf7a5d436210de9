// Normalizes a text for comparison. Guarantee: texts that differ only in case and in white space between words, also
// white space escaped as in JSON, become equal.

export const normalized = (text: string): string =>
  text
    .replace(/(?:\s|\\[nrt])+/g, ' ')
    .trim()
    .toLowerCase()
