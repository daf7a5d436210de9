// A message before anybody's format. Guarantee: whatever is told has a title that says it all in one line, and a
// format changes how it looks, never what it says.

/** What happened, as colours and icons show it. */
export type Tone = 'good' | 'warning' | 'bad'

export interface Message {
  tone: Tone
  /** One line: all that a phone shows of it. */
  title: string
  /** Sentences, each a paragraph. */
  paragraphs: readonly string[]
  /** Figures under a label each. */
  facts: readonly (readonly [label: string, value: string])[]
  /** The command that acts; null where there is nothing to do. */
  command: string | null
  links: readonly { label: string; url: string }[]
}
