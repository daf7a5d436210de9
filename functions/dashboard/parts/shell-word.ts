// A word of a command that people copy. Guarantee: what a link or a name brings along stays one word of it.

export const shellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
