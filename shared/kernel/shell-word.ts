// Writes texts into commands that people copy into a shell.

/** A text as one word of a command line. @example shellWord("o'neill 1") // "'o'\\''neill 1'" */
export const shellWord = (text: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
