// A JSON value as people read it: indented, long ones folded, texts as texts. Guarantee: numbers keep their digits;
// where it is cut it says so, and the link beside it gives every byte.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import { prettyJson, textsOverLines } from '../../../shared/kernel/pretty-json.ts'
import { count } from './text.tsx'

const SHOWN_LINES = 16
const SHOWN_CHARACTERS = 2000

interface PayloadProps {
  /** Undefined where there is none. */
  text: string | undefined
  /** Where its bytes are. */
  raw: string
  empty?: string
  /** Characters of it that the page holds. */
  most?: number
}

export const Payload = ({ text, raw, empty = 'none', most = LIMITS.page_text_characters }: PayloadProps) =>
  text === undefined || text === 'null' ? (
    <p class="dim">{empty}</p>
  ) : (
    <div class="payload">
      <Folded text={readable(text, most)} isText={text.startsWith('"')} most={most} />
      <p class="payload-foot dim">
        {count(new TextEncoder().encode(text).length)} bytes · <a href={raw}>raw</a>
      </p>
    </div>
  )

/** A string says more without its quotes and escapes, and a text of several lines over lines. Only the beginning is indented where no more is shown. */
export const readable = (text: string, most = Number.POSITIVE_INFINITY): string =>
  text.startsWith('"')
    ? JSON.parse(text)
    : textsOverLines(prettyJson(text.length > most ? text.slice(0, most + 1) : text))

interface FoldedProps {
  text: string
  isText: boolean
  most?: number
}

/** A text of which at first the beginning is shown. */
export const Folded = ({ text, isText, most = LIMITS.page_text_characters }: FoldedProps) => {
  const shown = text.split('\n', SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS)
  const kind = isText ? 'wrap text' : 'wrap'
  if (shown.length === text.length) return <pre class={kind}>{text}</pre>
  const cut = text.slice(0, most)
  return (
    <details class="fold">
      <summary>
        <pre class={kind}>{`${shown}…`}</pre>
        <span class="fold-more">
          {cut.length < text.length ? 'Show more' : `Show all ${count(text.length)} characters`}
        </span>
      </summary>
      <pre class={kind}>{cut}</pre>
      {cut.length < text.length && (
        <p class="dim">Cut here, at {count(cut.length)} characters; the raw form has all of them.</p>
      )}
    </details>
  )
}
