// Shows a JSON value for people: indented, long values folded, strings as text, Markdown rendered. Guarantee: numbers
// keep their digits; a cut value is the exact beginning of its text, says so, and the link next to it gives every byte.

import { fieldsOf } from '../../../shared/json/json.ts'
import { prettyJson, textsOverLines } from '../../../shared/json/pretty-json.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { headOf } from '../../../shared/kernel/text-head.ts'
import { isMarkdown, Markdown } from './markdown.tsx'
import { count, counted } from './text.tsx'
import { type Viewing, ViewLinks } from './views.tsx'

const SHOWN_LINES = 16
const SHOWN_CHARACTERS = 2000

interface PayloadProps {
  /** The JSON text; undefined where there is no value. */
  text: string | undefined
  /** The link to its bytes. */
  raw: string
  empty?: string
  /** Most characters of it that the page includes. */
  most?: number
  /** The level of the heading that it stands below. */
  below?: number
  viewing: Viewing
}

export const Payload = ({
  text,
  raw,
  empty = 'none',
  most = LIMITS.page_text_characters,
  below = 2,
  viewing,
}: PayloadProps) => {
  if (text === undefined || text === 'null') return <p class="dim">{empty}</p>
  const found = text.length > most ? undefined : markdownOf(text)
  const views = [
    ...(found === undefined ? [] : (['markdown'] as const)),
    'text' as const,
    ...(text.includes('\\n') ? (['json'] as const) : []),
  ]
  const shown = views.find(one => one === viewing.view) ?? views[0]!
  return (
    <div class="payload">
      {found !== undefined && shown === 'markdown' ? (
        <FoundMarkdown {...found} below={below} />
      ) : shown === 'json' ? (
        <Folded text={text.length > most ? text : prettyJson(text)} isText={false} most={most} raw={raw} />
      ) : (
        <Folded text={readable(text, most)} isText={text.startsWith('"')} most={most} raw={raw} />
      )}
      <p class="payload-foot dim">
        {count(new TextEncoder().encode(text).length)} bytes · <a href={raw}>raw</a>
        <ViewLinks of={views} shown={shown} link={viewing.link} />
      </p>
    </div>
  )
}

interface FoundMarkdown {
  body: string
  /** The field that holds it, and the other fields as JSON text. */
  name?: string
  rest?: string
}

/** Finds Markdown in a JSON string, or in the only field of an object that looks like Markdown. */
function markdownOf(text: string): FoundMarkdown | undefined {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'string') return isMarkdown(value) ? { body: value } : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const found = Object.entries(value).filter(([, one]) => typeof one === 'string' && isMarkdown(one))
  if (found.length !== 1) return undefined
  const [name, body] = found[0]!
  const others = [...fieldsOf(text)].filter(([one]) => one !== name)
  const rest = others.map(([one, own]) => `${JSON.stringify(one)}:${own}`).join(',')
  return { name, body, ...(rest === '' ? {} : { rest: `{${rest}}` }) }
}

const FoundMarkdown = ({ body, name, rest, below }: FoundMarkdown & { below: number }) => (
  <>
    {name !== undefined && (
      <p class="dim">
        <bdi>{name}</bdi>
      </p>
    )}
    <Markdown text={body} below={below} />
    {rest !== undefined && <Folded text={readable(rest)} isText={false} />}
  </>
)

/**
 * A string without its quotes and escapes; other values indented, with multi-line texts over several lines. One that is
 * longer than `most` is left as it was written, since only its beginning is shown.
 */
export const readable = (text: string, most = Number.POSITIVE_INFINITY): string => {
  if (text.startsWith('"')) return JSON.parse(text)
  return text.length > most ? text : textsOverLines(prettyJson(text))
}

interface FoldedProps {
  text: string
  isText: boolean
  most?: number
  /** The link to the whole value, for a copy of it where the page has only its beginning. */
  raw?: string | undefined
  /** The text is itself only the beginning of what there was. */
  isHead?: true
}

/** A text that shows its beginning and unfolds to the rest. */
export const Folded = ({ text, isText, most = LIMITS.page_text_characters, raw, isHead }: FoldedProps) => {
  const shown = headOf(text.split('\n', SHOWN_LINES).join('\n'), SHOWN_CHARACTERS)
  const kind = isText ? 'wrap text' : 'wrap'
  const cut = headOf(text, most)
  const isCut = cut.length < text.length
  const copy = isCut || isHead ? { 'data-cut': raw ?? '' } : {}
  if (shown.length === text.length)
    return (
      <pre class={kind} dir="auto" {...copy}>
        {text}
      </pre>
    )
  return (
    <details class="fold">
      <summary>
        <pre class={kind} dir="auto">{`${shown}…`}</pre>
        <span class="fold-more">
          {isCut
            ? `Show more, cut at ${count(cut.length)} of ${counted(text.length, 'character')}`
            : `Show all ${counted(text.length, 'character')}`}
        </span>
      </summary>
      <pre class={kind} dir="auto" {...copy}>
        {cut}
      </pre>
      {isCut && (
        <p class="dim">
          Cut at {count(cut.length)} of {counted(text.length, 'character')}; the raw form has all of them.
        </p>
      )}
    </details>
  )
}
