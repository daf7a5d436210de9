// A message, before it is written in a format. Guarantee: every message has a title that says it all in one line, and a
// format changes how it looks, never what it says.

/** How good or bad the news is, for colours and icons. */
export type Tone = 'good' | 'warning' | 'bad'

export interface Message {
  tone: Tone
  /** One line: all that a phone shows of it. */
  title: string
  /** Sentences, each a paragraph. */
  paragraphs: readonly string[]
  /** Figures, each with a label. */
  facts: readonly (readonly [label: string, value: string])[]
  /** The command that acts on it; null if there is nothing to do. */
  command: string | null
  links: readonly { label: string; url: string }[]
}
