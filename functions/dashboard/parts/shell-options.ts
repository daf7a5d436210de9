// Options of shell commands that people copy. Guarantee: any value from a link or a name stays one shell word.

import { shellWord } from '../../../shared/kernel/shell-word.ts'

/** The options that have a value, each with a space before it. */
export const shellOptions = (options: Record<string, string | undefined>): string =>
  Object.entries(options)
    .map(([name, value]) => (value ? ` --${name} ${shellWord(value)}` : ''))
    .join('')
