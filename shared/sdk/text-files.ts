// Which files an agent imports as text: the bundle of a deploy and the hooks of tests read them by this.

/** Endings of prompts and of the data that goes with them. Types for them are in imports.d.ts. */
export const TEXT_ENDINGS: readonly string[] = [
  'md',
  'txt',
  'yaml',
  'yml',
  'sql',
  'prompt',
  'jinja',
  'j2',
  'html',
  'csv',
  'xml',
  'tmpl',
  'hbs',
  'mustache',
  'liquid',
]

export const TEXT_FILE = new RegExp(`\\.(${TEXT_ENDINGS.join('|')})$`, 'i')

/** The text of such a file, without a byte order mark. @throws Error if it is not UTF-8 */
export function textOfFile(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('it is not UTF-8, as a file that is imported as text has to be: save it as UTF-8')
  }
}
