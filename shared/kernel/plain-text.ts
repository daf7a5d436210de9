// Prepares free text for a row. Guarantee: PostgreSQL accepts it, and it holds no separator of packed columns.

import { shortened } from './text-head.ts'

/** Replaces control characters, except tab and newline, by a space, and cuts after `maxCharacters`. */
export function plainText(text: string, maxCharacters: number): string {
  return shortened(text, maxCharacters)
    .replace(/[\x00-\x08\x0b-\x1f]/g, ' ')
    .toWellFormed()
}
