// Words of a command that people copy. Guarantee: what a link or a name brings along stays one word.

export const shellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Options that have a value, each with a space before it. */
export const shellOptions = (options: Record<string, string | undefined>): string =>
  Object.entries(options)
    .map(([name, value]) => (value ? ` --${name} ${shellWord(value)}` : ''))
    .join('')
