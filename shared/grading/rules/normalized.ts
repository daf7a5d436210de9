// When two texts are one and the same. Guarantee: they are, whatever their case and the space between their words, also
// where that is written as in JSON.

export const normalized = (text: string): string =>
  text
    .replace(/(?:\s|\\[nrt])+/g, ' ')
    .trim()
    .toLowerCase()
