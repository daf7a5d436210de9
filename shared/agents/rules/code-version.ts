// Reads the version of the code that an answer names: a commit, a tag, a hash. Guarantee: a name is a short line of text,
// so it can stand in a table, a heading and a column of a file.

import { LIMITS } from '../../kernel/limits.ts'
import { shortened } from '../../kernel/text-head.ts'

/** Stands for the names beyond the LIMITS.code_versions of a deployment. */
export const OTHER_VERSION = 0

/** The name as it is kept; null if it is empty. */
export function codeVersionOf(given: string): string | null {
  const [line = ''] = given.trim().split(/[\r\n\t]/)
  const plain = line.replace(/\p{Cc}/gu, ' ').trim()
  if (plain === '') return null
  return shortened(plain, LIMITS.code_version_characters).toWellFormed()
}

/** The text of a header. Their bytes are read as Latin-1, and most programs write a text as UTF-8. */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\x00-\xff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, c => c.charCodeAt(0)))
  } catch {
    return value
  }
}
